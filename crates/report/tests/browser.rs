//! The page in a real browser: headless Chromium, where there is one.
//!
//! Chromium prints the document after its scripts ran, and what they said on the console. A second script, which only
//! these tests append, moves the slider and writes what it saw into the document.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::{Path, PathBuf};
use std::process::Command;

use corevar_report::{EpochLine, Records, Setting, html};

#[path = "../src/samples/mod.rs"]
#[allow(dead_code, reason = "the samples are those of the unit tests")]
mod samples;

const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// None when there is no such program: the test says so and passes.
fn chromium() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path)
        .flat_map(|folder| NAMES.map(|name| folder.join(name)))
        .find(|program| program.is_file());
    if found.is_none() {
        eprintln!("SKIPPED: none of {} is installed (Debian: apt-get install chromium)", NAMES.join(", "));
    }
    found
}

struct Opened {
    /// The document after its scripts ran.
    document: String,
    /// What was said on the console, errors and refused requests among it.
    console: Vec<String>,
}

fn run(chromium: &Path, folder: &Path, arguments: &[String]) -> std::process::Output {
    let profile = format!("--user-data-dir={}", folder.join("profile").display());
    let fixed = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"];
    let quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
    let output = Command::new(chromium)
        .args(fixed)
        .args(quiet)
        .arg(profile)
        .args(arguments)
        .arg(format!("file://{}", folder.join("page.html").display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn open(chromium: &Path, page: &str) -> Opened {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("page.html"), page).unwrap();
    let arguments = ["--enable-logging=stderr", "--virtual-time-budget=3000", "--dump-dom"].map(String::from);
    let output = run(chromium, folder.path(), &arguments);
    let console = String::from_utf8_lossy(&output.stderr)
        .lines()
        .filter(|line| line.contains(":CONSOLE"))
        .map(String::from)
        .collect();
    Opened { document: String::from_utf8(output.stdout).unwrap(), console }
}

/// Appends a script that the policy of the page allows by a word of its own, and leaves its result in `<pre id=seen>`.
fn with_probe(page: &str, script: &str) -> String {
    let allowed = page.replacen("script-src '", "script-src 'nonce-probe' '", 1);
    assert_ne!(allowed, page, "the page has no policy for scripts");
    let probe = format!(
        "<pre id=\"seen\"></pre><script nonce=\"probe\">addEventListener('load', () => {{\
         document.getElementById('seen').textContent = JSON.stringify((() => {{ {script} }})()); }});</script></body>"
    );
    allowed.replacen("</body>", &probe, 1)
}

/// What the probe saw.
fn seen(opened: &Opened) -> serde_json::Value {
    let (_, rest) = opened.document.split_once("<pre id=\"seen\">").unwrap();
    let text = rest.split_once("</pre>").unwrap().0;
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&text).unwrap_or_else(|cause| panic!("{cause}: {text} {:?}", opened.console))
}

/// Addresses that the page asked for, those inside it aside.
const REQUESTS: &str = "performance.getEntriesByType('resource').map((entry) => entry.name)\
                        .filter((name) => !name.startsWith('data:'))";

/// Everything that a report can hold.
fn full() -> Records {
    let mut records = samples::with_evidence();
    records.evidence.as_mut().unwrap().plane = samples::path().evidence.unwrap().plane;
    records
}

#[test]
fn the_page_is_silent_and_asks_for_nothing() {
    let Some(chromium) = chromium() else { return };
    for records in [full(), samples::path(), samples::many_classes(40)] {
        let opened = open(&chromium, &with_probe(&html(&records), &format!("return {REQUESTS};")));
        assert_eq!(opened.console, Vec::<String>::new());
        assert_eq!(seen(&opened), serde_json::json!([]));
    }
}

/// The test above would notice.
#[test]
fn a_page_that_asks_for_something_is_found_out() {
    let Some(chromium) = chromium() else { return };
    let page = html(&full()).replacen("<main>", "<main><img src=\"http://127.0.0.1:9/x.png\">", 1);
    let opened = open(&chromium, &page);
    assert!(
        opened.console.iter().any(|line| line.contains("Content Security Policy")),
        "{:?}",
        opened.console
    );
    let page = html(&full()).replacen("<main>", "<main><script>document.title = 'bad'</script>", 1);
    let opened = open(&chromium, &page);
    assert!(!opened.console.is_empty() && !opened.document.contains("<title>bad"), "{:?}", opened.console);
}

#[test]
fn the_slider_changes_the_boundary() {
    let Some(chromium) = chromium() else { return };
    let probe = "
        const slider = document.querySelector('.film input');
        const shown = () => [...document.querySelectorAll('.frame')].filter((frame) => frame.offsetParent !== null)
            .map((frame) => [frame.dataset.name, frame.querySelector('svg').innerHTML.length]);
        const move = (value) => {
            slider.value = value;
            slider.dispatchEvent(new Event('input', { bubbles: true }));
            return [shown(), document.querySelector('.film output').textContent];
        };
        return [[shown(), document.querySelector('.film output').textContent], move(0), move(4)];";
    let seen = seen(&open(&chromium, &with_probe(&html(&samples::path()), probe)));
    let names = ["CoRe, λ = 1", "pooled, λ = 0", "CoRe, λ = 10"];
    for (state, name) in seen.as_array().unwrap().iter().zip(names) {
        assert_eq!(
            (state[0].as_array().unwrap().len(), &state[0][0][0], &state[1]),
            (1, &name.into(), &name.into())
        );
    }
    assert_ne!(seen[1][0][0][1], seen[2][0][0][1], "both weights have the same picture");
}

#[test]
fn without_a_script_every_boundary_is_there() {
    let Some(chromium) = chromium() else { return };
    let page = html(&samples::path()).replace("class=\"film\"", "class=\"still\"");
    let probe =
        "return [...document.querySelectorAll('.frame')].filter((f) => f.offsetParent !== null).length";
    assert_eq!(seen(&open(&chromium, &with_probe(&page, probe))), serde_json::json!(5));
}

#[test]
fn tips_follow_the_pointer() {
    let Some(chromium) = chromium() else { return };
    let probe = "
        const bar = document.querySelector('#errors .tips path');
        bar.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, clientX: 50, clientY: 50 }));
        const tip = document.getElementById('tip');
        const first = [tip.textContent, tip.hidden];
        document.body.dispatchEvent(new PointerEvent('pointermove', { bubbles: true }));
        return [...first, tip.hidden, document.querySelectorAll('.tips title').length];";
    let seen = seen(&open(&chromium, &with_probe(&html(&full()), probe)));
    assert_eq!(seen, serde_json::json!(["pooled on test1: 3.00 (2.00 to 4.00)", false, true, 0]));
}

#[test]
fn a_label_that_looks_like_a_tag_stays_text() {
    let Some(chromium) = chromium() else { return };
    const EVIL: &str = "<img src=x onerror=document.title='bad'>";
    let mut records = full();
    records.results.data.name = EVIL.into();
    records.results.data.classes[0] = EVIL.into();
    let pictures = records.evidence.as_mut().unwrap().pictures.as_mut().unwrap();
    pictures.groups.iter_mut().for_each(|group| group.label = EVIL.into());
    for model in &mut records.evidence.as_mut().unwrap().models {
        model.setting.name = EVIL.into();
    }
    let probe = "
        const strangers = [...document.images].filter((image) => !image.src.startsWith('data:')).length;
        const handlers = [...document.querySelectorAll('*')].flatMap((e) => [...e.attributes])
            .filter((attribute) => attribute.name.startsWith('on')).length;
        return [document.querySelector('h1').textContent, strangers, handlers, document.title];";
    let opened = open(&chromium, &with_probe(&html(&records), probe));
    assert_eq!(opened.console, Vec::<String>::new());
    assert_eq!(seen(&opened), serde_json::json!([EVIL, 0, 0, format!("{EVIL} – corevar report")]));
}

/// Nothing of the page is wider than a phone.
#[test]
fn a_phone_does_not_scroll_sideways() {
    let Some(chromium) = chromium() else { return };
    // The window of headless Chromium is at least 500 wide, so the page goes into a frame as wide as a phone.
    for records in [full(), samples::path(), samples::of(5, 24, 3, 40)] {
        let folder = tempfile::tempdir().unwrap();
        let probe = "return [document.documentElement.scrollWidth, innerWidth]";
        std::fs::write(folder.path().join("inner.html"), with_probe(&html(&records), probe)).unwrap();
        let outer = "<iframe src=\"inner.html\" width=\"390\" height=\"844\"></iframe>\
                     <script>onload = () => { document.body.append(frames[0].document.getElementById('seen')) }</script>";
        std::fs::write(folder.path().join("page.html"), outer).unwrap();
        let arguments = ["--allow-file-access-from-files", "--virtual-time-budget=3000", "--dump-dom"];
        let output = run(&chromium, folder.path(), &arguments.map(String::from));
        let document = String::from_utf8(output.stdout).unwrap();
        let seen = seen(&Opened { document, console: Vec::new() });
        assert!(seen[0].as_f64().unwrap() <= seen[1].as_f64().unwrap(), "{seen}");
    }
}

/// Writes pages to look at into the folder that `COREVAR_PAGES` names: of 1, 5 and 120 runs, of 2 and 40 classes.
#[test]
fn pages_are_kept_where_they_are_wanted() {
    let Some(folder) = std::env::var_os("COREVAR_PAGES").map(PathBuf::from) else { return };
    std::fs::create_dir_all(&folder).unwrap();
    let pages = [
        ("one-run", samples::small()),
        ("five-runs", samples::of(5, 4, 3, 10)),
        ("hundred-and-twenty-runs", samples::of(5, 24, 3, 40)),
        ("path", samples::path()),
        ("pictures", full()),
        ("forty-classes", samples::many_classes(40)),
    ];
    for (name, records) in pages {
        std::fs::write(folder.join(name).with_extension("html"), html(&records)).unwrap();
    }
}
