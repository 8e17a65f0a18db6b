//! Public data sets from small files in their original form, and from the real ones where they are.

use std::fs;
use std::path::PathBuf;

use crate::common::{Folder, shown};
use corevar_data::Tip;
use corevar_data::import::{ImportOptions, ImportReport, Source, import};
use corevar_data::{DataError, Dataset, Inputs, TableOptions, read, table::Purpose};

fn run(source: Source, folder: &Folder, options: &ImportOptions) -> Result<ImportReport, DataError> {
    import(source, &folder.0.join("from"), &folder.0.join("out"), options, &|_, _| {})
}

fn imported(folder: &Folder) -> Dataset {
    let options = TableOptions { purpose: Purpose::Inspect, ..Default::default() };
    read(&folder.0.join("out"), &options).unwrap().0
}

fn label(data: &Dataset, row: usize) -> String {
    data.labels().text(row)
}

fn idx(kind: u8, sizes: &[u32], numbers: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, kind, sizes.len() as u8];
    bytes.extend(sizes.iter().flat_map(|size| size.to_be_bytes()));
    bytes.extend(numbers);
    bytes
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn small_mnist(folder: &Folder) {
    let pixels: Vec<u8> = (0..12).map(|i| i * 20).collect();
    folder.write("from/train-images-idx3-ubyte.gz", packed(&idx(8, &[3, 2, 2], &pixels)));
    folder.write("from/train-labels-idx1-ubyte", idx(8, &[3], &[5, 0, 4]));
    folder.write("from/sub/t10k-images.idx3-ubyte", idx(8, &[1, 2, 2], &[9; 4]));
    folder.write("from/t10k-labels-idx1-ubyte.gz", packed(&idx(8, &[1], &[7])));
}

#[test]
fn mnist_is_imported_packed_or_not() {
    let folder = Folder::new();
    small_mnist(&folder);
    let report = run(Source::Mnist, &folder, &ImportOptions::default()).unwrap();
    assert_eq!((report.rows, report.rows_with_id), (4, 0));
    let data = imported(&folder);
    assert_eq!((0..4).map(|row| label(&data, row)).collect::<Vec<_>>(), ["5", "0", "4", "7"]);
    assert_eq!(data.split("test"), Some(&[3][..]));
    let Inputs::Images(images) = data.inputs() else { panic!() };
    let mut bytes = [0; 4];
    images.read_bytes(1, &mut bytes).unwrap();
    assert_eq!(bytes, [80, 100, 120, 140]);
}

#[test]
fn qmnist_adds_the_writer() {
    let folder = Folder::new();
    small_mnist(&folder);
    let row = |digit: i32, writer: i32| [digit, 4, writer, 0, 0, 0, 0, 0].map(i32::to_be_bytes).concat();
    let train = [row(5, 30), row(0, 2), row(4, 30)].concat();
    folder.write("from/qmnist-train-labels-idx2-int", idx(12, &[3, 8], &train));
    let test = [row(7, 99), row(8, 98)].concat();
    folder.write("from/qmnist-test-labels-idx2-int.gz", packed(&idx(12, &[2, 8], &test)));
    let report = run(Source::Qmnist, &folder, &ImportOptions::default()).unwrap();
    assert_eq!((report.rows, report.rows_with_id), (4, 4));
    assert_eq!(report.notes, ["test: the first 1 of the 2 digits that QMNIST labels"]);
    let data = imported(&folder);
    let writers: Vec<&str> =
        data.ids().iter().map(|id| data.id_names()[id.unwrap() as usize].as_str()).collect();
    assert_eq!(writers, ["30", "2", "30", "99"]);
    assert_eq!(data.attributes()[0].name, "series");
}

#[test]
fn idx_files_that_lie_are_refused() {
    for (bytes, part) in [
        (idx(8, &[1_000_000_000, 28, 28], &[1]), "its header claims [1000000000, 28, 28] numbers"),
        (idx(8, &[1000, 28, 28], &[1]), "it holds fewer numbers than the [1000, 28, 28] of its header"),
        (idx(8, &[1, 2, 2], &[1; 5]), "it holds more numbers"),
        (idx(9, &[1, 2, 2], &[1; 4]), "it is not an IDX file"),
        (vec![], "it is too short"),
        (packed(&idx(8, &[3, 2, 2], &[1; 12]))[..20].to_vec(), "train-images-idx3-ubyte"),
        (idx(8, &[12], &[1; 12]), "not rows x height x width"),
        (idx(8, &[2, 2, 2], &[1; 8]), "it has labels [3] for 2 pictures"),
    ] {
        let folder = Folder::new();
        small_mnist(&folder);
        fs::remove_file(folder.0.join("from/train-images-idx3-ubyte.gz")).unwrap();
        folder.write("from/train-images-idx3-ubyte", bytes);
        let error = run(Source::Mnist, &folder, &ImportOptions::default()).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.tip().is_some());
        assert!(!folder.0.join("out").exists());
    }
}

fn small_celeba(folder: &Folder, attributes: &str) {
    folder.write("from/Anno/list_attr_celeba.txt", attributes);
    folder.write("from/Anno/identity_CelebA.txt", "000001.jpg 2880\n000002.jpg 17\n000003.jpg 2880\n");
    folder.write("from/Eval/list_eval_partition.txt", "000001.jpg 0\n000002.jpg 1\n000003.jpg 2\n");
    for i in 1..=3 {
        folder.picture(&format!("from/Img/img_align_celeba/{i:06}.png"), 4, 3, 3);
        let path = |end: &str| folder.0.join(format!("from/Img/img_align_celeba/{i:06}.{end}"));
        fs::rename(path("png"), path("jpg")).unwrap();
    }
}

const ATTRIBUTES: &str =
    "3\nBald Eyeglasses Male \n000001.jpg -1  1 -1\n000002.jpg -1 -1  1\n000003.jpg  1 -1 -1\n";

#[test]
fn celeba_is_imported_with_persons_and_attributes() {
    for text in [
        ATTRIBUTES,
        &ATTRIBUTES[2..],
        &ATTRIBUTES[2..].replace("Bald", "image_id Bald").replace("  ", " ").replace(' ', ","),
    ] {
        let folder = Folder::new();
        small_celeba(&folder, text);
        let report = run(Source::Celeba, &folder, &ImportOptions::default()).unwrap();
        assert_eq!((report.rows, report.rows_with_id), (3, 3));
        let data = imported(&folder);
        assert_eq!(
            (0..3).map(|row| label(&data, row)).collect::<Vec<_>>(),
            ["Eyeglasses", "no-Eyeglasses", "no-Eyeglasses"]
        );
        assert_eq!(data.ids(), [Some(0), Some(1), Some(0)]);
        assert_eq!(
            data.splits().iter().map(|split| split.name.as_str()).collect::<Vec<_>>(),
            ["train", "val", "test"]
        );
        let names: Vec<&str> = data.attributes().iter().map(|attribute| attribute.name.as_str()).collect();
        assert_eq!(names, ["Bald", "Eyeglasses", "Male"]);
    }
}

#[test]
fn celeba_takes_another_label_and_says_what_is_wrong() {
    let folder = Folder::new();
    small_celeba(&folder, ATTRIBUTES);
    let wrong = ImportOptions { label: Some("Mael".into()), ..Default::default() };
    assert!(
        run(Source::Celeba, &folder, &wrong)
            .unwrap_err()
            .to_string()
            .contains("there is no attribute `Mael`")
    );
    let male = ImportOptions { label: Some("Male".into()), ..Default::default() };
    run(Source::Celeba, &folder, &male).unwrap();
    assert_eq!(label(&imported(&folder), 1), "Male");
    fs::remove_dir_all(folder.0.join("out")).unwrap();
    fs::remove_file(folder.0.join("from/Img/img_align_celeba/000002.jpg")).unwrap();
    let error = run(Source::Celeba, &folder, &male).unwrap_err();
    assert!(error.to_string().contains("1 of 3 pictures are missing, the first is"), "{error}");
    fs::remove_file(folder.0.join("from/Anno/identity_CelebA.txt")).unwrap();
    let text = shown(&folder.0, &run(Source::Celeba, &folder, &male).unwrap_err());
    assert!(
        text.starts_with(
            "from: there is no `identity_CelebA.txt` in it\ntip: the folder must hold list_attr"
        ),
        "{text}"
    );
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "nothing half-written stays");
}

#[test]
fn awa2_takes_the_folders_as_classes() {
    let folder = Folder::new();
    for name in ["horse/horse_1.png", "horse/horse_2.png", "elephant/elephant_1.png", "otter/otter_1.png"] {
        folder.picture(&format!("from/AwA2/JPEGImages/{name}"), 3, 3, 3);
    }
    let options = ImportOptions { classes: vec!["horse".into(), "elephant".into()], ..Default::default() };
    assert_eq!(run(Source::Awa2, &folder, &options).unwrap().rows, 3);
    assert_eq!(label(&imported(&folder), 0), "elephant");
    let wrong = ImportOptions { classes: vec!["hors".into()], ..Default::default() };
    let error =
        import(Source::Awa2, &folder.0.join("from"), &folder.0.join("b"), &wrong, &|_, _| {}).unwrap_err();
    assert_eq!(error.tip().as_deref(), Some("did you mean `horse`?"));
}

#[test]
fn waterbirds_gets_our_names() {
    let folder = Folder::new();
    folder.picture("from/001.Albatross/a, b.png", 3, 3, 3);
    folder.picture("from/002.Wren/c.png", 3, 3, 3);
    folder.write(
        "from/metadata.csv",
        "img_id,img_filename,y,split,place,place_filename\n1,\"001.Albatross/a, b.png\",1,0,1,/o/ocean.jpg\n2,002.Wren/c.png,0,2,0,/f/forest.jpg\n",
    );
    let report = run(Source::Waterbirds, &folder, &ImportOptions::default()).unwrap();
    assert_eq!((report.rows, report.rows_with_id), (2, 0));
    let text = fs::read_to_string(folder.0.join("out/metadata.csv")).unwrap();
    assert!(text.starts_with(
        "filename,y,group_id,split,img_id,place,place_filename\n\"images/001.Albatross/a, b.png\",1,,train,1,1,/o/ocean.jpg\n"
    ), "{text}");
    assert_eq!(imported(&folder).len(), 2);
}

#[cfg(unix)]
#[test]
fn links_out_of_the_folder_are_followed_only_on_request() {
    use std::os::unix::fs::symlink;
    let png = |folder: &Folder, name: &str| drop(folder.picture(name, 2, 2, 1));
    // What is prepared, and a file of it that becomes a link to the same file elsewhere.
    type Make<'a> = &'a dyn Fn(&Folder);
    let cases: [(Source, Make<'_>, &str); 6] = [
        (Source::Celeba, &|folder| small_celeba(folder, ATTRIBUTES), "Img/img_align_celeba/000002.jpg"),
        (Source::Celeba, &|folder| small_celeba(folder, ATTRIBUTES), "Anno/identity_CelebA.txt"),
        (Source::Celeba, &|folder| small_celeba(folder, ATTRIBUTES), "Img/img_align_celeba"),
        (Source::Mnist, &small_mnist, "train-labels-idx1-ubyte"),
        (Source::Awa2, &|folder| png(folder, "from/JPEGImages/horse/1.png"), "JPEGImages/horse/1.png"),
        (
            Source::Waterbirds,
            &|folder| {
                png(folder, "from/1.png");
                folder.write("from/metadata.csv", "img_filename,y,split\n1.png,0,0\n");
            },
            "metadata.csv",
        ),
    ];
    for (source, prepare, name) in cases {
        let (folder, elsewhere) = (Folder::new(), Folder::new());
        prepare(&folder);
        let (file, target) = (folder.0.join("from").join(name), elsewhere.0.join("target"));
        fs::rename(&file, &target).unwrap();
        symlink(&target, &file).unwrap();
        let message = shown(&folder.0, &run(source, &folder, &ImportOptions::default()).unwrap_err());
        assert!(message.contains("is a link that leads out of the folder\ntip: "), "{name}: {message}");
        assert!(!folder.0.join("out").exists());
        let options = ImportOptions { allow_outside: true, ..Default::default() };
        let report = run(source, &folder, &options);
        assert!(report.is_ok_and(|report| report.rows > 0), "{name}");
        // A picture that is imported is the file, not a link.
        let images = fs::read_dir(folder.0.join("out/images")).unwrap().flatten();
        assert!(images.into_iter().all(|entry| !entry.file_type().unwrap().is_symlink()), "{name}");
    }
}

/// A line as in the files, all features the same number.
fn gas_line(gas: u32, ppm: &str, value: f32) -> String {
    let features: Vec<String> = (1..=128).map(|place| format!("{place}:{value:.6}")).collect();
    format!("{gas};{ppm} {} \n", features.join(" "))
}

#[test]
fn gas_drift_trains_on_two_batches_and_says_which_are_missing() {
    let folder = Folder::new();
    folder.write("from/batch1.dat", gas_line(1, "10.000000", 1.5) + &gas_line(6, "2.500000", -2.0));
    folder.write("from/Dataset/batch2.dat.gz", packed(gas_line(1, "10.000000", 3.0).as_bytes()));
    folder.write("from/batch10.dat", gas_line(3, "100.000000", 4.0) + "\n");
    let report = run(Source::GasDrift, &folder, &ImportOptions::default()).unwrap();
    assert_eq!((report.rows, report.rows_with_id, report.features.as_deref()), (4, 4, Some("sensor*")));
    let missing = "missing in the folder, and so in the table: batch3, batch4, batch5, batch6, batch7, batch8 and batch9";
    assert_eq!(report.notes[1], missing);
    let options =
        TableOptions { purpose: Purpose::Inspect, features: Some("sensor*".into()), ..Default::default() };
    let (data, _) = read(&folder.0.join("out"), &options).unwrap();
    assert_eq!(data.split_names(), ["train", "batch10"]);
    let labels: Vec<String> = (0..4).map(|row| label(&data, row)).collect();
    assert_eq!(labels, ["ethanol", "toluene", "ethanol", "ammonia"]);
    let ids: Vec<Option<&str>> = (0..4).map(|row| data.id_name(row)).collect();
    assert_eq!(ids, ["ethanol-10", "toluene-2.5", "ethanol-10", "ammonia-100"].map(Some));
    let features = data.inputs().as_features().unwrap();
    assert_eq!((features.names.len(), features.values[128]), (128, -2.0));
    assert_eq!([&features.names[0], &features.names[127]], ["sensor1_feature1", "sensor16_feature8"]);
    let attributes: Vec<&str> = data.attributes().iter().map(|attribute| attribute.name.as_str()).collect();
    assert_eq!(attributes, ["batch", "concentration"]);
}

#[test]
fn wrong_calls_are_explained() {
    let folder = Folder::new();
    let error = run(Source::Mnist, &folder, &ImportOptions::default()).unwrap_err();
    assert!(
        shown(&folder.0, &error).starts_with("from: no such folder\ntip: it must hold {train,t10k}-images")
    );
    small_mnist(&folder);
    let options = ImportOptions { label: Some("Male".into()), ..Default::default() };
    let error = run(Source::Mnist, &folder, &options).unwrap_err();
    assert!(error.to_string().contains("the field `label` has no effect on mnist"), "{error}");
    folder.write("out/full", "x");
    let error = run(Source::Mnist, &folder, &ImportOptions::default()).unwrap_err();
    assert!(error.to_string().contains("it exists and is not an empty folder"), "{error}");
    assert!(Source::ALL.into_iter().all(|source| Source::from_name(source.name()) == Some(source)));
}

/// The real files, which are not part of the project.
fn shared_data() -> Option<PathBuf> {
    let path = std::env::var_os("COREVAR_TEST_DATA").map(PathBuf::from)?;
    path.join("mnist").is_dir().then_some(path)
}

#[test]
fn the_real_qmnist_goes_through() {
    let Some(from) = shared_data() else {
        eprintln!("skipped: no MNIST; set COREVAR_TEST_DATA to a folder with mnist/ and qmnist/");
        return;
    };
    let folder = Folder::new();
    let out = folder.0.join("out");
    let report = import(Source::Qmnist, &from, &out, &ImportOptions::default(), &|_, _| {}).unwrap();
    assert_eq!((report.rows, report.rows_with_id), (70_000, 70_000));
    let options =
        TableOptions { cache: corevar_data::Cache::Dir(folder.0.join("cache")), ..Default::default() };
    let (data, report) = read(&out, &options).unwrap();
    assert_eq!(data.split("train").map(<[usize]>::len), Some(60_000));
    assert_eq!(data.split("test").map(<[usize]>::len), Some(10_000));
    // 539 writers in train, 297 others in test.
    assert_eq!(data.id_names().len(), 539 + 297);
    assert!(report.ids_across_splits.is_empty());
    assert_eq!((0..5).map(|row| label(&data, row)).collect::<Vec<_>>(), ["5", "0", "4", "1", "9"]);
    let Inputs::Images(images) = data.inputs() else { panic!() };
    assert_eq!((images.shape.height, images.shape.width, images.shape.channels), (28, 28, 1));
    let mut pixels = vec![0; 784];
    images.read_bytes(0, &mut pixels).unwrap();
    assert_eq!(pixels.iter().map(|byte| u64::from(*byte)).sum::<u64>(), 27_525);
}
