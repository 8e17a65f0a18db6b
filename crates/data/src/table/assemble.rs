//! From rows as read to a checked [`Dataset`] and the report on it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::npy;
use super::raw::{RawInputs, RawLabels, RawTable, rounded_note};
use super::report::{Columns, InputColumns, LeftOut, ReadReport, UnknownLabels};
use super::{Purpose, TableOptions};
use crate::cache::Settings;
use crate::error::Place;
use crate::error::TableProblem;
use crate::images::{self, Crop, ImageProblem};
use crate::names::Levels;
use crate::{
    Attribute, DataError, Dataset, DatasetBuilder, Features, Inputs, Labels, Missing, MissingRule,
    Preparation, Split, SplitName, groups, missing, natural, split,
};

/// Checks the rows, decodes the pictures and puts it all together.
pub(super) fn assemble(
    (mut raw, mut columns): (RawTable, Columns),
    options: &TableOptions,
    progress: &dyn Fn(usize, usize),
) -> Result<(Dataset, ReadReport), DataError> {
    let unused: HashSet<String> = raw.too_many.iter().cloned().collect();
    columns.unused = std::mem::take(&mut raw.too_many);
    columns.attributes.retain(|name| !unused.contains(name));
    raw.attributes.retain(|(name, _)| !unused.contains(name));
    let made = raw.splits.is_none();
    let mut splits = match (raw.splits.take(), &options.purpose) {
        (Some(splits), _) => splits,
        // Rows to judge or to apply a model to are not divided any further.
        (None, Purpose::Evaluate { .. } | Purpose::Predict) => all_test(&raw),
        (None, Purpose::Train | Purpose::Inspect) => made_splits(&raw, options.seed),
    };
    let made = made && matches!(options.purpose, Purpose::Train | Purpose::Inspect);
    let unknown_labels = leave_out_unknown(&mut raw, &mut splits, options)?;
    let missing = handle_missing(&mut raw, &mut splits, options)?;
    // Before the pictures, so that a slip in the table costs no time.
    check(&raw, &splits, &options.purpose)?;
    let (inputs, left_out) = inputs(&mut raw, &mut splits, options, progress)?;
    if !left_out.is_empty() {
        check(&raw, &splits, &options.purpose)?;
    }
    let crop = inputs.as_images().map(|_| options.crop);
    let (label_column, transform) = (options.label_column.clone(), options.transform.clone());
    let preparation = Preparation { crop, label_column, encoding: None, missing, transform };
    let dataset = dataset(&mut raw, &splits, inputs, &options.purpose).preparation(preparation).check()?;
    let report = ReadReport {
        path: raw.path.clone(),
        left_out,
        unknown_labels,
        split_seed: made.then_some(options.seed),
        ids_with_two_labels: ids_with_two_labels(&dataset),
        ids_across_splits: ids_across_splits(&dataset),
        notes: notes(&raw, &columns, &dataset),
        columns,
        lines: raw.lines,
        files: match raw.inputs {
            RawInputs::Files(files) => files,
            _ => Vec::new(),
        },
    };
    Ok((dataset, report))
}

fn made_splits(raw: &RawTable, seed: u64) -> Levels {
    let classes = match &raw.labels {
        RawLabels::Classes(levels) => Some(levels.sorted().1),
        _ => None,
    };
    let mut levels = Levels::default();
    for which in split::by_id(&raw.ids, classes.as_deref(), &split::SHARES, seed) {
        levels.push(split::SHARES[which].0);
    }
    levels
}

/// One split, `test`.
fn all_test(raw: &RawTable) -> Levels {
    let mut levels = Levels::default();
    raw.ids.iter().for_each(|_| levels.push(SplitName::TEST));
    levels
}

/// What the purpose asks of labels and splits.
fn check(raw: &RawTable, splits: &Levels, purpose: &Purpose) -> Result<(), DataError> {
    let known = match purpose {
        Purpose::Inspect | Purpose::Predict => return Ok(()),
        Purpose::Evaluate { classes } => classes.clone(),
        Purpose::Train => {
            let train: Vec<bool> =
                (0..raw.ids.len()).map(|row| splits.name_of(row) == SplitName::TRAIN).collect();
            if !train.contains(&true) {
                let splits = splits.sorted().0;
                return Err(Place::file(&raw.path).table(TableProblem::EmptyTrain { splits }));
            }
            let RawLabels::Classes(labels) = &raw.labels else { return Ok(()) };
            let mut labels = labels.clone();
            labels.keep(&train);
            labels.sorted().0
        }
    };
    let RawLabels::Classes(labels) = &raw.labels else { return Ok(()) };
    if let (Purpose::Train, [class]) = (purpose, known.as_slice()) {
        return Err(Place::file(&raw.path).table(TableProblem::OneClass { class: class.clone() }));
    }
    let seen: HashSet<&str> = known.iter().map(String::as_str).collect();
    match (0..raw.ids.len()).find(|row| !seen.contains(labels.name_of(*row))) {
        None => Ok(()),
        Some(row) => {
            let (label, split) = (labels.name_of(row).to_string(), splits.name_of(row).to_string());
            Err(raw.place(row).table(TableProblem::UnseenLabel { label, split, known }))
        }
    }
}

/// Drops the rows whose label the model does not know, if that is asked for and leaves any.
fn leave_out_unknown(
    raw: &mut RawTable,
    splits: &mut Levels,
    options: &TableOptions,
) -> Result<UnknownLabels, DataError> {
    const MOST_LABELS: usize = 100;
    let mut unknown = UnknownLabels::default();
    let (Purpose::Evaluate { classes }, true) = (&options.purpose, options.skip_unknown_labels) else {
        return Ok(unknown);
    };
    let RawLabels::Classes(labels) = &raw.labels else { return Ok(unknown) };
    let known: HashSet<&str> = classes.iter().map(String::as_str).collect();
    let kept: Vec<bool> = (0..raw.ids.len()).map(|row| known.contains(labels.name_of(row))).collect();
    if kept.iter().all(|kept| *kept) || !kept.contains(&true) {
        return Ok(unknown);
    }
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for row in (0..kept.len()).filter(|row| !kept[*row]) {
        *counts.entry(labels.name_of(row)).or_default() += 1;
        unknown.rows += 1;
    }
    unknown.labels = counts.into_iter().map(|(label, rows)| (label.to_string(), rows)).collect();
    unknown.labels.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| natural(&a.0, &b.0)));
    unknown.labels.truncate(MOST_LABELS);
    // Its rows are those of the whole table.
    raw.read_matrix(options)?;
    raw.keep(&kept);
    splits.keep(&kept);
    Ok(unknown)
}

/// Does what was asked for about missing numbers, and says what new rows need.
fn handle_missing(
    raw: &mut RawTable,
    splits: &mut Levels,
    options: &TableOptions,
) -> Result<Option<MissingRule>, DataError> {
    let is_files = matches!(raw.inputs, RawInputs::Files(_));
    let no_effect = |field, reason| Place::file(&raw.path).table(TableProblem::NoEffect { field, reason });
    if is_files && options.missing != Missing::Refuse {
        return Err(no_effect("missing", "the inputs are images, not features"));
    }
    if is_files && options.transform.is_some() {
        return Err(no_effect("transform", "the inputs are images, not features"));
    }
    if let Purpose::Evaluate { .. } = options.purpose {
        if options.missing == Missing::Median {
            return Err(no_effect(
                "missing",
                "medians are those of the training rows, and the model has none",
            ));
        }
        if options.transform.is_some() {
            return Err(no_effect("transform", "the model says what is done to the features"));
        }
    }
    if options.missing != Missing::Refuse {
        raw.read_matrix(options)?;
    }
    let training: Vec<usize> =
        (0..raw.ids.len()).filter(|row| splits.name_of(*row) == SplitName::TRAIN).collect();
    let all: Vec<usize> = (0..raw.ids.len()).collect();
    let training = if training.is_empty() { all } else { training };
    let RawInputs::Features(features) = &mut raw.inputs else { return Ok(None) };
    let (path, lines) = (&raw.path, &raw.lines);
    let place = |row: usize| lines.get(row).map_or(Place::file(path), |line| Place::line(path, *line));
    let handled = missing::handle(features, &options.missing, &training, place)?;
    raw.notes.extend(handled.note);
    if let Some(kept) = &handled.kept {
        raw.keep(kept);
        splits.keep(kept);
    }
    Ok(handled.rule)
}

/// Decodes the pictures, if it is pictures; drops the rows of those that cannot be read.
fn inputs(
    raw: &mut RawTable,
    splits: &mut Levels,
    options: &TableOptions,
    progress: &dyn Fn(usize, usize),
) -> Result<(Inputs, Vec<LeftOut>), DataError> {
    match &mut raw.inputs {
        RawInputs::Files(_) => {}
        RawInputs::Features(features) => {
            let features = std::mem::take(features);
            refuse_image_options(&raw.path, options)?;
            return Ok((transformed(features, options)?, Vec::new()));
        }
        RawInputs::Matrix(path) => {
            refuse_image_options(&raw.path, options)?;
            let (features, rounded) = npy::read_noting(path, raw.ids.len(), false)?;
            raw.notes.extend(rounded_note(&rounded));
            return Ok((transformed(features, options)?, Vec::new()));
        }
    }
    if options.crop != Crop::None && options.image_size.is_none() {
        let reason = "without the field `image_size` pictures stay as they are";
        return Err(Place::file(&raw.path).table(TableProblem::NoEffect { field: "crop", reason }));
    }
    let request = images::Request {
        table: &raw.path,
        folder: raw.folder(),
        files: raw.files(),
        settings: Settings {
            size: options.image_size,
            channels: options.channels,
            crop: options.crop,
            limits: images::Limits { pixels: options.max_pixels, memory: options.decode_memory },
        },
        allow_outside: options.allow_outside,
        cache: &options.cache,
        progress,
    };
    let loaded = images::load(&request)?;
    raw.notes.extend(loaded.notes);
    let Some(images) = loaded.images else { return Err(unreadable(raw, &loaded.unreadable)) };
    if !loaded.unreadable.is_empty() && !options.skip_unreadable {
        return Err(unreadable(raw, &loaded.unreadable));
    }
    Ok((Inputs::Images(images), leave_out(raw, splits, loaded.unreadable)))
}

fn transformed(mut features: Features, options: &TableOptions) -> Result<Inputs, DataError> {
    options.transform.iter().try_for_each(|transform| transform.apply(&mut features))?;
    Ok(Inputs::Features(features))
}

fn refuse_image_options(path: &Path, options: &TableOptions) -> Result<(), DataError> {
    let given = [
        (options.image_size.is_some(), "image_size"),
        (options.channels.is_some(), "TableOptions::channels"),
        (options.crop != Crop::None, "crop"),
        (options.skip_unreadable, "skip_unreadable"),
    ];
    match given.iter().find(|(given, _)| *given) {
        Some((_, field)) => {
            let reason = "the inputs are features, not images";
            Err(Place::file(path).table(TableProblem::NoEffect { field, reason }))
        }
        None => Ok(()),
    }
}

fn unreadable(raw: &RawTable, rows: &[(usize, String)]) -> DataError {
    const NAMED: usize = 10;
    let image = |row: usize| {
        let file = &raw.files()[row];
        file.strip_prefix(raw.folder()).unwrap_or(file).display().to_string()
    };
    if let [(row, reason)] = rows {
        let problem = ImageProblem::Unreadable { image: image(*row), reason: reason.clone() };
        return raw.place(*row).images(problem);
    }
    let named = |(row, reason): &(usize, String)| (raw.place(*row), image(*row), reason.clone());
    Place::file(&raw.path).images(ImageProblem::ManyUnreadable {
        count: rows.len(),
        rows: raw.ids.len(),
        first: rows.iter().take(NAMED).map(named).collect(),
    })
}

fn leave_out(raw: &mut RawTable, splits: &mut Levels, rows: Vec<(usize, String)>) -> Vec<LeftOut> {
    if rows.is_empty() {
        return Vec::new();
    }
    let mut kept = vec![true; raw.ids.len()];
    let mut left_out = Vec::with_capacity(rows.len());
    for (row, reason) in rows {
        kept[row] = false;
        let (line, file) = (raw.lines.get(row).copied(), raw.files()[row].clone());
        left_out.push(LeftOut { line, file, reason });
    }
    raw.keep(&kept);
    splits.keep(&kept);
    left_out
}

fn dataset(raw: &mut RawTable, splits: &Levels, inputs: Inputs, purpose: &Purpose) -> DatasetBuilder {
    let attribute = |(name, levels): (String, Levels)| {
        let (levels, of_row) = levels.sorted();
        Attribute { name, levels, of_row }
    };
    let attributes = std::mem::take(&mut raw.attributes).into_iter().map(attribute).collect();
    let (ids, id_names) = raw.used_ids();
    Dataset::of(inputs)
        .name(raw.path.display().to_string())
        .labels(labels(raw, purpose))
        .id_indices(ids, id_names)
        .splits((0..raw.ids.len()).map(|row| splits.name_of(row)))
        .attributes(attributes)
}

fn labels(raw: &RawTable, purpose: &Purpose) -> Labels {
    match (&raw.labels, purpose) {
        (RawLabels::Numbers(values), _) => Labels::Numbers(values.clone()),
        (RawLabels::Classes(levels), Purpose::Evaluate { classes }) => {
            let places: HashMap<&str, u32> = classes.iter().map(String::as_str).zip(0..).collect();
            let index = |row: usize| places.get(levels.name_of(row)).copied().unwrap_or(0);
            Labels::Classes { names: classes.clone(), of_row: (0..raw.ids.len()).map(index).collect() }
        }
        (RawLabels::Classes(levels), _) => {
            let (names, of_row) = levels.sorted();
            Labels::Classes { names, of_row }
        }
        (RawLabels::Absent, _) => Labels::Unknown { rows: raw.ids.len() },
    }
}

fn ids_with_two_labels(dataset: &Dataset) -> Vec<String> {
    dataset.labels().classes().map_or_else(Vec::new, |classes| ids_with_several(dataset, classes))
}

/// Ids in `train` and elsewhere. Two splits other than train may share an id: neither is learned from.
fn ids_across_splits(dataset: &Dataset) -> Vec<String> {
    let mut in_train = vec![false; dataset.len()];
    dataset.train().iter().for_each(|row| in_train[*row] = true);
    ids_with_several(dataset, &in_train)
}

/// Names of the ids whose rows differ in `value`, in order of appearance.
fn ids_with_several<T: PartialEq + Copy>(dataset: &Dataset, value: &[T]) -> Vec<String> {
    let ids = groups::ids_with_several(dataset.ids(), value);
    ids.into_iter().map(|id| dataset.id_names()[id as usize].clone()).collect()
}

fn notes(raw: &RawTable, columns: &Columns, dataset: &Dataset) -> Vec<String> {
    let mut notes = raw.notes.clone();
    if columns.inputs != InputColumns::Folder && columns.group.is_none() {
        notes.push("no id column (`group_id`): no row is grouped".into());
    }
    if raw.nan_ids > 0 {
        notes.push(format!("{} ids are NaN and taken as not observed", raw.nan_ids));
    }
    let nothing = |name: &&String| {
        ["none", "null", "na", "n/a", "<na>", "?", "-", "-1"].contains(&name.to_lowercase().as_str())
    };
    if let Some(name) = dataset.id_names().iter().find(nothing) {
        notes.push(format!("`{name}` is taken as an id; leave the cell empty where the id is not known"));
    }
    let near_val = |split: &&Split| ["valid", "validation", "dev"].contains(&split.name.as_str());
    if let (true, Some(split)) = (dataset.validation().is_empty(), dataset.splits().iter().find(near_val)) {
        notes.push(format!("split `{}` is evaluated like a test; only `val` is used to choose", split.name));
    }
    notes
}

impl RawTable {
    /// Where a row stands: its line, or the picture itself in a folder.
    fn place(&self, row: usize) -> Place {
        match self.lines.get(row) {
            Some(line) => Place::line(&self.path, *line),
            None => Place::file(self.files().get(row).unwrap_or(&self.path)),
        }
    }

    /// Takes the matrix in, if the features are in one. Where something is done about missing numbers, it may have NaN.
    fn read_matrix(&mut self, options: &TableOptions) -> Result<(), DataError> {
        if let RawInputs::Matrix(path) = &self.inputs {
            let may_lack = options.missing != Missing::Refuse;
            let (features, rounded) = npy::read_noting(path, self.ids.len(), may_lack)?;
            self.notes.extend(rounded_note(&rounded));
            self.inputs = RawInputs::Features(features);
        }
        Ok(())
    }

    fn files(&self) -> &[PathBuf] {
        match &self.inputs {
            RawInputs::Files(files) => files,
            _ => &[],
        }
    }

    /// The folder to which names of pictures are relative.
    fn folder(&self) -> &Path {
        if self.lines.is_empty() { &self.path } else { self.path.parent().unwrap_or(Path::new("")) }
    }

    /// Ids without the names that no row has any more.
    fn used_ids(&self) -> (Vec<Option<u32>>, Vec<String>) {
        let (mut new_ids, mut names) = (vec![None; self.id_names.count()], Vec::new());
        let mut renumbered = |id: u32| {
            *new_ids[id as usize].get_or_insert_with(|| {
                names.push(self.id_names.name(id).to_string());
                names.len() as u32 - 1
            })
        };
        let ids = self.ids.iter().map(|id| id.map(&mut renumbered)).collect();
        (ids, names)
    }
}
