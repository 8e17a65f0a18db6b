//! Whether a path in a table stays in the folder of the table. This is the look before anything is read, with the line of the
//! table; that nothing else is read later is seen to by [`crate::source_folder`].

use std::collections::HashSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The folder of a table, and what is known of its insides.
pub(crate) struct Inside {
    folder: PathBuf,
    /// Folders that are no links, relative to the folder: thousands of pictures share a few.
    plain: HashSet<PathBuf>,
}

impl Inside {
    pub(crate) fn of_table(table: &Path) -> Inside {
        Inside::of_folder(table.parent().unwrap_or(Path::new("")))
    }

    pub(crate) fn of_folder(folder: &Path) -> Inside {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        Inside { folder: folder.to_path_buf(), plain: HashSet::new() }
    }

    /// True for an absolute path, one that climbs above the folder, and one that a link leads out of it.
    pub(crate) fn is_left_by(&mut self, image: &Path) -> bool {
        climbs_out(image) || self.has_link(image) && self.leads_out(image)
    }

    /// Whether any part of the path is a link. What is not there is none.
    fn has_link(&mut self, image: &Path) -> bool {
        let mut place = PathBuf::new();
        let mut parts = image.components().peekable();
        while let Some(part) = parts.next() {
            place.push(part);
            if self.plain.contains(&place) {
                continue;
            }
            let kind = fs::symlink_metadata(self.folder.join(&place));
            if part == Component::ParentDir || kind.as_ref().is_ok_and(|kind| kind.is_symlink()) {
                return true;
            }
            if parts.peek().is_some() {
                self.plain.insert(place.clone());
            }
        }
        false
    }

    /// Where the links end. A link to nothing leads nowhere; its picture is missing, which is said elsewhere.
    fn leads_out(&self, image: &Path) -> bool {
        let ends = |path: &Path| path.canonicalize();
        match (ends(&self.folder), ends(&self.folder.join(image))) {
            (Ok(folder), Ok(image)) => !image.starts_with(folder),
            _ => false,
        }
    }
}

/// By its text alone.
pub(crate) fn climbs_out(path: &Path) -> bool {
    let mut depth = 0i64;
    for component in path.components() {
        match component {
            Component::Prefix(_) | Component::RootDir => return true,
            Component::ParentDir => depth -= 1,
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
        }
        if depth < 0 {
            return true;
        }
    }
    false
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_path_may_climb_but_not_out() {
        assert!(!climbs_out(Path::new("a/../b.png")) && !climbs_out(Path::new("./a/b.png")));
        assert!(climbs_out(Path::new("../b.png")) && climbs_out(Path::new("a/../../b.png")));
        assert!(climbs_out(Path::new("/etc/passwd")));
    }

    #[test]
    fn links_may_lead_anywhere_inside_and_nowhere_else() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir_all(at("data/img/deep")).unwrap();
        fs::create_dir(at("other")).unwrap();
        for file in ["data/img/a.png", "other/b.png"] {
            fs::write(at(file), "").unwrap();
        }
        symlink("a.png", at("data/img/same.png")).unwrap();
        symlink(at("other/b.png"), at("data/img/out.png")).unwrap();
        symlink("../other", at("data/elsewhere")).unwrap();
        symlink("img/deep", at("data/down")).unwrap();
        symlink("nowhere", at("data/img/nothing.png")).unwrap();
        let mut inside = Inside::of_table(&at("data/metadata.csv"));
        // `down/..` is `img`, not the folder: links are followed before the dots.
        for image in
            ["img/a.png", "img/same.png", "./img/a.png", "down/../a.png", "img/nothing.png", "missing.png"]
        {
            assert!(!inside.is_left_by(Path::new(image)), "{image}");
        }
        for image in
            ["img/out.png", "elsewhere/b.png", "elsewhere/../other/b.png", "../other/b.png", "/etc/passwd"]
        {
            assert!(inside.is_left_by(Path::new(image)), "{image}");
        }
    }
}
