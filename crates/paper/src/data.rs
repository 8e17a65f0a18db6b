//! The data of an experiment: drawn here, or made of the original files.

use std::path::{Path, PathBuf};

use corevar_data::synthetic::{self, Generator, Sizes};
use corevar_data::{DataError, Dataset};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::features;
use super::plan::Plan;
use super::spec::{Experiment, ExperimentError, in_one_line};
use crate::album::{Album, FacePhoto};
use crate::drawn::{animals, digits, faces};
use crate::protocols::{Brightness, ChangeAt, Elmer, Gender, Mnist, Quality, SmallN, originals};

/// How data are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Protocol {
    /// A generator of this project; the paper has one too.
    Linear,
    /// As above.
    Nonlinear,
    /// As above.
    Stickmen,
    /// Faces: glasses, from ten persons.
    SmallN,
    /// Faces: sex, glasses as style.
    Gender,
    /// The same, seen by a network that was trained for something else.
    GenderFeatures,
    /// Faces: glasses, JPEG quality as style.
    Quality,
    /// Faces: glasses, brightness as style.
    Brightness,
    /// Digits, rotation as style.
    Mnist,
    /// Animals, colour as style.
    Elmer,
}

/// A protocol with its settings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Plans {
    seed: u64,
    #[serde(flatten)]
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
enum Kind {
    Drawn {
        #[serde(skip)]
        name: &'static str,
        #[serde(flatten)]
        sizes: Sizes,
    },
    SmallN(SmallN),
    Gender(Gender),
    GenderFeatures(Gender),
    Quality(Quality),
    Brightness(Brightness),
    Mnist(Mnist),
    Elmer(Elmer),
}

/// Where pictures come from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OriginalFiles {
    /// Folder with the original files; None for the stand-ins that are drawn here.
    pub originals: Option<PathBuf>,
    /// Features of all original pictures, in the order of their list: a `.npy` matrix.
    pub features: Option<PathBuf>,
}

/// What the pictures of an experiment are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Source {
    /// Drawn by a program, in the paper too.
    Drawn,
    /// Drawn here in place of photographs.
    StandIn,
    /// The files that the paper used.
    Real,
}

impl Source {
    /// In tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Drawn => "drawn",
            Self::StandIn => "stand-in",
            Self::Real => "real",
        }
    }
}

impl Protocol {
    /// What the data are with or without the original files.
    pub fn source(self, material: &OriginalFiles) -> Source {
        match self {
            Self::Linear | Self::Nonlinear | Self::Stickmen => Source::Drawn,
            _ if material.originals.is_some() => Source::Real,
            _ => Source::StandIn,
        }
    }

    /// Edition of the drawing, be it the paper's own data or a stand-in for original files.
    pub(super) fn edition(self) -> u32 {
        let edition = |name| synthetic::find(name).map_or(0, Generator::edition);
        match self {
            Self::Linear => edition("linear"),
            Self::Nonlinear => edition("nonlinear"),
            Self::Stickmen => edition("stickmen"),
            Self::Mnist => digits::EDITION,
            Self::Elmer => animals::EDITION,
            _ => self.drawn_faces().edition(),
        }
    }

    /// The album that stands in for photographs of faces.
    fn drawn_faces(self) -> faces::AlbumSizes {
        match self {
            Self::SmallN => faces::AlbumSizes::several_pairs(),
            _ => faces::AlbumSizes::default(),
        }
    }

    /// Whether a folder holds any of the original files of this experiment, whole or not.
    pub fn has_originals(self, folder: &Path) -> bool {
        match self {
            Self::Linear | Self::Nonlinear | Self::Stickmen => false,
            Self::Mnist => originals::has_mnist(folder),
            Self::Elmer => originals::has_awa2(folder),
            _ => originals::has_celeba(folder),
        }
    }

    /// Whether the original files in a folder can be read, before anything waits for them.
    pub fn check_originals(self, folder: &Path) -> Result<(), DataError> {
        match self {
            Self::Linear | Self::Nonlinear | Self::Stickmen => Ok(()),
            Self::Mnist => originals::mnist(folder).map(drop),
            Self::Elmer => originals::awa2(folder).map(drop),
            _ => originals::celeba(folder, ChangeAt::default()).map(drop),
        }
    }

    /// Settings that this protocol does not know are refused.
    pub(super) fn plans(self, mut settings: Table) -> Result<Plans, String> {
        let seed = match settings.remove("seed") {
            Some(value) => {
                let shown = value.to_string();
                value.try_into().map_err(|_| format!("seed = {shown} is no whole number from 0"))?
            }
            None => 0,
        };
        // `seed` was taken out above, so the error does not list it.
        let with_seed = |said: String| match said.starts_with("unknown field") {
            true => said.replace("expected one of ", "expected one of `seed`, "),
            false => said,
        };
        let kind = self.kind(settings).map_err(|error| with_seed(in_one_line(error)))?;
        Ok(Plans { seed, kind })
    }

    fn kind(self, settings: Table) -> Result<Kind, toml::de::Error> {
        Ok(match self {
            Self::Linear => Kind::Drawn { name: "linear", sizes: settings.try_into()? },
            Self::Nonlinear => Kind::Drawn { name: "nonlinear", sizes: settings.try_into()? },
            Self::Stickmen => Kind::Drawn { name: "stickmen", sizes: settings.try_into()? },
            Self::SmallN => Kind::SmallN(settings.try_into()?),
            Self::Gender => Kind::Gender(settings.try_into()?),
            Self::GenderFeatures => Kind::GenderFeatures(settings.try_into()?),
            Self::Quality => Kind::Quality(settings.try_into()?),
            Self::Brightness => Kind::Brightness(settings.try_into()?),
            Self::Mnist => Kind::Mnist(settings.try_into()?),
            Self::Elmer => Kind::Elmer(settings.try_into()?),
        })
    }
}

impl Plans {
    /// Where original pictures are changed; None where the protocol leaves no choice.
    pub(super) fn change_at(&self) -> Option<ChangeAt> {
        match &self.kind {
            Kind::Quality(Quality { change_at, .. }) | Kind::Brightness(Brightness { change_at, .. }) => {
                Some(*change_at)
            }
            _ => None,
        }
    }

    /// Whether the settings fit together, before other variants are trained for hours.
    pub(super) fn check(&self) -> Result<(), DataError> {
        match &self.kind {
            Kind::Drawn { name, sizes } => generator(name)?.check(sizes),
            Kind::SmallN(set) => set.check(),
            Kind::Gender(set) | Kind::GenderFeatures(set) => set.check(),
            Kind::Quality(set) => set.check(),
            Kind::Brightness(set) => set.check(),
            Kind::Mnist(set) => set.check(),
            Kind::Elmer(set) => set.check(),
        }
    }
}

impl Experiment {
    /// Refuses original files where all is drawn, and features where there are pictures.
    pub fn check_material(&self, material: &OriginalFiles) -> Result<(), ExperimentError> {
        let refuse = |problem: &str, tip| {
            let (experiment, problem) = (self.name.clone(), problem.to_string());
            Err(ExperimentError::OriginalFiles { experiment, problem, tip })
        };
        let is_drawn = self.protocol.source(material) == Source::Drawn;
        match (&material.originals, &material.features) {
            (Some(_), _) if is_drawn => {
                refuse("its data are drawn, in the paper too", "leave out `OriginalFiles::originals`")
            }
            (_, Some(_)) if self.protocol != Protocol::GenderFeatures => refuse(
                "only gender-features takes a matrix of features",
                "leave out `OriginalFiles::features`",
            ),
            (None, Some(_)) => refuse(
                "a matrix of features needs the pictures that its rows belong to",
                "name the folder of CelebA's original files in `OriginalFiles::originals`",
            ),
            _ => Ok(()),
        }
    }
}

impl Plan {
    /// Makes the data.
    pub fn dataset(&self, material: &OriginalFiles) -> Result<Dataset, ExperimentError> {
        let Plans { seed, kind } = &self.plans;
        let seed = *seed;
        let from = material.originals.as_deref();
        let change_at = self.plans.change_at().unwrap_or_default();
        let faces = || photographs(from, change_at, self.protocol.drawn_faces(), seed);
        Ok(match kind {
            Kind::Drawn { name, sizes } => generator(name)?.generate(sizes, seed)?,
            Kind::SmallN(set) => set.build(&faces()?, seed)?,
            Kind::Gender(set) => set.build(&faces()?, seed)?,
            Kind::Quality(set) => set.build(&faces()?, seed)?,
            Kind::Brightness(set) => set.build(&faces()?, seed)?,
            Kind::Elmer(set) => {
                let album = from.map_or_else(|| Ok(animals::album(ANIMALS, seed)), originals::awa2)?;
                set.build(&album, seed)?
            }
            Kind::Mnist(set) => {
                let album = from.map_or_else(
                    || Ok(digits::album(digits::AlbumSizes::default(), seed)),
                    originals::mnist,
                )?;
                set.build(&album, seed)?
            }
            Kind::GenderFeatures(set) => seen(set, material, self.protocol.drawn_faces(), seed)?,
        })
    }
}

/// Pictures in the stand-in for AwA2.
const ANIMALS: usize = 8_000;

fn photographs(
    from: Option<&Path>,
    change_at: ChangeAt,
    stand_in: faces::AlbumSizes,
    seed: u64,
) -> Result<Album<FacePhoto>, DataError> {
    match from {
        Some(from) => originals::celeba(from, change_at),
        None => Ok(faces::album(stand_in, seed)),
    }
}

/// The generator of that name.
fn generator(name: &'static str) -> Result<&'static dyn Generator, DataError> {
    synthetic::find(name).ok_or_else(|| DataError::Sizes {
        generator: name,
        problem: "the generator is missing".into(),
        tip: "build the project whole".into(),
    })
}

/// The pictures as a network sees them: one of the user's, or one that has learned to tell persons apart.
fn seen(
    set: &Gender,
    material: &OriginalFiles,
    stand_in: faces::AlbumSizes,
    seed: u64,
) -> Result<Dataset, ExperimentError> {
    let from = material.originals.as_deref();
    // Nothing is changed here.
    let at = ChangeAt::default();
    let album = photographs(from, at, stand_in, seed)?;
    match &material.features {
        Some(path) => {
            let features = corevar_data::table::read_matrix(path, album.photos.len())?;
            Ok(set.build_features(&album, &features, seed)?)
        }
        None => {
            // Drawn persons are not met again; those of CelebA may be.
            let others = photographs(from, at, stand_in, seed.wrapping_add(1_000))?;
            features::seen_by_a_network(&others, set.build(&album, seed)?, seed)
        }
    }
}
