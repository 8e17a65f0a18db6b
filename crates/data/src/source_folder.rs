//! Files of a folder, opened by handle: whatever a table names, and whoever moves links about meanwhile, a file outside the folder
//! is not read.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::bounded;

/// A folder whose files may be read.
#[derive(Debug)]
pub(crate) struct SourceFolder {
    path: PathBuf,
    /// None where files may lie anywhere.
    root: Option<Root>,
}

impl SourceFolder {
    /// With `allow_outside`, links and names may lead out of the folder.
    pub(crate) fn new(path: &Path, allow_outside: bool) -> io::Result<SourceFolder> {
        let root = if allow_outside { None } else { Some(Root::open(here(path))?) };
        Ok(SourceFolder { path: path.to_path_buf(), root })
    }

    /// Whether names may not lead out of the folder.
    pub(crate) fn is_restricted(&self) -> bool {
        self.root.is_some()
    }

    /// Opens an ordinary file by its whole path. One outside the folder is an error of the kind
    /// [`io::ErrorKind::CrossesDevices`], as the system calls it.
    pub(crate) fn open(&self, file: &Path) -> io::Result<File> {
        let Some(root) = &self.root else { return bounded::open(file) };
        let relative = file.strip_prefix(&self.path).map_err(|_| outside())?;
        // A look before it is opened: opening a device may do something.
        bounded::refuse_unless_ordinary(&fs::metadata(file)?)?;
        let file = root.open_below(relative)?;
        bounded::refuse_unless_ordinary(&file.metadata()?)?;
        Ok(file)
    }
}

/// The present folder has an empty name in joined paths.
fn here(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

fn outside() -> io::Error {
    io::Error::new(io::ErrorKind::CrossesDevices, "it lies outside the folder")
}

#[cfg(unix)]
use unix::Root;

#[cfg(unix)]
mod unix {
    use std::ffi::OsString;
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::ffi::OsStringExt;
    use std::path::{Component, Path, PathBuf};

    use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, readlinkat, statat};
    use rustix::io::Errno;

    use super::outside;

    /// As many as Linux follows.
    const MOST_LINKS: usize = 40;

    /// The folder itself, held open.
    #[derive(Debug)]
    pub(super) struct Root {
        handle: OwnedFd,
        /// Without links, for links that name a whole path.
        path: PathBuf,
    }

    fn file_flags() -> OFlags {
        // Without waiting, should it be a pipe after all.
        OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK
    }

    impl Root {
        pub(super) fn open(path: &Path) -> io::Result<Root> {
            let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY;
            let handle = rustix::fs::open(path, flags, Mode::empty())?;
            Ok(Root { handle, path: path.canonicalize()? })
        }

        #[cfg(target_os = "linux")]
        pub(super) fn open_below(&self, relative: &Path) -> io::Result<File> {
            use rustix::fs::{ResolveFlags, openat2};
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
            match openat2(&self.handle, relative, file_flags(), Mode::empty(), resolve) {
                Ok(handle) => Ok(handle.into()),
                // Links that name a whole path may still lead inside; and not every kernel has the call, or allows it.
                Err(Errno::XDEV | Errno::NOSYS | Errno::PERM | Errno::AGAIN | Errno::INVAL) => {
                    self.walk(relative)
                }
                Err(cause) => Err(cause.into()),
            }
        }

        #[cfg(not(target_os = "linux"))]
        pub(super) fn open_below(&self, relative: &Path) -> io::Result<File> {
            self.walk(relative)
        }

        /// Goes down folder by folder, and follows links itself: nobody can swap a folder for a link on the way.
        pub(super) fn walk(&self, relative: &Path) -> io::Result<File> {
            // Handles of the folders below the root in which we are; and what is left of the way, the next part last.
            let (mut trail, mut left): (Vec<OwnedFd>, Vec<OsString>) = (Vec::new(), Vec::new());
            push_parts(&mut left, relative)?;
            let mut links = 0;
            while let Some(part) = left.pop() {
                if part == ".." {
                    trail.pop().ok_or_else(outside)?;
                    continue;
                }
                let place = trail.last().unwrap_or(&self.handle).as_fd();
                let kind = FileType::from_raw_mode(statat(place, &part, AtFlags::SYMLINK_NOFOLLOW)?.st_mode);
                match kind {
                    FileType::Symlink if links == MOST_LINKS => return Err(Errno::LOOP.into()),
                    FileType::Symlink => {
                        links += 1;
                        let target = readlinkat(place, &part, Vec::new())?.into_bytes();
                        let mut target = PathBuf::from(OsString::from_vec(target));
                        if target.is_absolute() {
                            target = target.strip_prefix(&self.path).map_err(|_| outside())?.to_path_buf();
                            trail.clear();
                        }
                        push_parts(&mut left, &target)?;
                    }
                    FileType::Directory => {
                        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY | OFlags::NOFOLLOW;
                        trail.push(openat(place, &part, flags, Mode::empty())?);
                    }
                    FileType::RegularFile if left.is_empty() => {
                        let flags = file_flags() | OFlags::NOFOLLOW;
                        return Ok(openat(place, &part, flags, Mode::empty())?.into());
                    }
                    FileType::RegularFile => return Err(Errno::NOTDIR.into()),
                    _ => {
                        return Err(io::Error::new(
                            io::ErrorKind::InvalidInput,
                            "it is not an ordinary file",
                        ));
                    }
                }
            }
            Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"))
        }
    }

    /// Puts a path before what is left of the way.
    fn push_parts(left: &mut Vec<OsString>, path: &Path) -> io::Result<()> {
        for part in path.components().rev() {
            match part {
                Component::Prefix(_) | Component::RootDir => return Err(outside()),
                Component::CurDir => {}
                Component::ParentDir => left.push("..".into()),
                Component::Normal(name) => left.push(name.into()),
            }
        }
        Ok(())
    }
}

/// Where there are no handles of folders: a look at where the links end, then the opening.
#[cfg(not(unix))]
#[derive(Debug)]
struct Root {
    path: PathBuf,
}

#[cfg(not(unix))]
impl Root {
    fn open(path: &Path) -> io::Result<Root> {
        Ok(Root { path: path.canonicalize()? })
    }

    fn open_below(&self, relative: &Path) -> io::Result<File> {
        let file = self.path.join(relative).canonicalize()?;
        if file.starts_with(&self.path) { File::open(file) } else { Err(outside()) }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::io::{ErrorKind, Read};
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    fn place() -> tempfile::TempDir {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir_all(at("data/img/deep")).unwrap();
        fs::create_dir(at("other")).unwrap();
        fs::write(at("data/img/a.png"), "inside").unwrap();
        fs::write(at("other/b.png"), "outside").unwrap();
        symlink("a.png", at("data/img/same.png")).unwrap();
        symlink(at("data/img/a.png"), at("data/whole.png")).unwrap();
        symlink("img/deep", at("data/down")).unwrap();
        symlink("../../other/b.png", at("data/img/out.png")).unwrap();
        symlink(at("other"), at("data/elsewhere")).unwrap();
        symlink("loop.png", at("data/loop.png")).unwrap();
        place
    }

    fn text(file: io::Result<File>) -> io::Result<String> {
        let mut text = String::new();
        file?.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn links_may_lead_anywhere_inside_and_nowhere_else() {
        let place = place();
        let data = place.path().join("data");
        let folder = SourceFolder::new(&data, false).unwrap();
        let root = folder.root.as_ref().unwrap();
        let both = |name: &str| [folder.open(&data.join(name)), root.walk(Path::new(name))];
        // `down/..` is `img`, not the folder: links are followed before the dots.
        for name in ["img/a.png", "img/same.png", "./img/../img/a.png", "down/../a.png", "whole.png"] {
            both(name).into_iter().for_each(|file| assert_eq!(text(file).unwrap(), "inside", "{name}"));
        }
        for name in ["img/out.png", "elsewhere/b.png", "../other/b.png", "img/../../other/b.png"] {
            for file in both(name) {
                assert_eq!(file.unwrap_err().kind(), ErrorKind::CrossesDevices, "{name}");
            }
        }
        for (name, kind) in [("img", ErrorKind::IsADirectory), ("img/missing.png", ErrorKind::NotFound)] {
            both(name).into_iter().for_each(|file| assert_eq!(file.unwrap_err().kind(), kind, "{name}"));
        }
        assert!(both("loop.png").into_iter().all(|file| file.is_err()));
        let anywhere = SourceFolder::new(&data, true).unwrap();
        assert_eq!(text(anywhere.open(&data.join("img/out.png"))).unwrap(), "outside");
    }

    #[test]
    fn nobody_can_swap_a_folder_for_a_link_between_look_and_read() {
        let place = place();
        let data = place.path().join("data");
        fs::write(data.join("img/b.png"), "inside").unwrap();
        let folder = SourceFolder::new(&data, false).unwrap();
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    fs::rename(data.join("img"), data.join("kept")).unwrap();
                    symlink("../other", data.join("img")).unwrap();
                    fs::remove_file(data.join("img")).unwrap();
                    fs::rename(data.join("kept"), data.join("img")).unwrap();
                }
            });
            for turn in 0..4000 {
                let root = folder.root.as_ref().unwrap();
                let walked = if turn % 2 == 0 { Some(root.walk(Path::new("img/b.png"))) } else { None };
                let file = walked.unwrap_or_else(|| folder.open(&data.join("img/b.png")));
                assert!(text(file).map_or(true, |text| text == "inside"), "read outside in turn {turn}");
            }
            stop.store(true, Ordering::Relaxed);
        });
    }
}
