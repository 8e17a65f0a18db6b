//! Which taps of the kernel a position of the target sees, along one axis.
//!
//! Taps that fall outside the image are left out rather than multiplied by zero. Positions that see the same taps
//! form one [`Window`], so that a tile of the kernel never has to ask. The forward pass and the gradient of x differ
//! only in their windows:
//!
//! - forward: position `o` reads the input from `o * stride - padding`, one tap a pixel;
//! - gradient of x: position `i` reads the output gradients `o` with `o * stride - padding + tap = i`. These are
//!   every `stride`-th tap, backwards. The positions of one remainder modulo the stride share their taps, so a
//!   convolution of stride s falls apart into s convolutions of stride 1, one a remainder.

/// Positions `start, start + step, ...` of the target that see `taps` taps from number `tap` on. The first of them
/// reads the source from `source` on, each further one `source_step` later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    pub start: usize,
    pub step: usize,
    pub count: usize,
    pub source: usize,
    pub source_step: usize,
    pub tap: usize,
    pub taps: usize,
}

impl Window {
    /// Whether the position after the last one can join: the same taps, where the source is expected.
    fn accepts(&self, next: &Window) -> bool {
        let fits = (self.step, self.source_step) == (next.step, next.source_step)
            && (self.tap, self.taps) == (next.tap, next.taps)
            && self.start + self.count * self.step == next.start;
        fits && (self.taps == 0 || self.source + self.count * self.source_step == next.source)
    }
}

/// The windows of one axis. Every position of the target is in exactly one, and no window reads outside the source:
/// the kernels rely on both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Windows {
    windows: Vec<Window>,
    /// Position in the kernel of each tap, in the order in which the windows count taps.
    order: Vec<usize>,
    source_size: usize,
    target_size: usize,
}

impl Windows {
    /// Windows of the output over the input.
    pub fn forward(input: usize, output: usize, kernel: usize, stride: usize, padding: usize) -> Self {
        let windows = (0..output).map(|position| {
            let corner = position * stride;
            let tap = padding.saturating_sub(corner).min(kernel);
            let end = (input + padding).saturating_sub(corner).min(kernel).max(tap);
            let source = (corner + tap).saturating_sub(padding);
            Self::single(position, 1, [source, stride], [tap, end])
        });
        Self::join(windows.collect(), (0..kernel).collect(), input, output)
    }

    /// Windows of the input over the output, for the gradient of the input.
    pub fn backward(input: usize, output: usize, kernel: usize, stride: usize, padding: usize) -> Self {
        let mut windows = Vec::with_capacity(input);
        let mut order = Vec::with_capacity(kernel);
        for remainder in 0..stride {
            let first_tap = order.len();
            order.extend((remainder..kernel).step_by(stride).rev());
            let taps = order.len() - first_tap;
            let first = (remainder + stride - padding % stride) % stride;
            windows.extend((first..input).step_by(stride).map(|position| {
                // Output `quotient - j` meets tap `remainder + j * stride`, which is number `taps - 1 - j` here.
                let quotient = (position + padding - remainder) / stride;
                let low = (quotient + 1).saturating_sub(output);
                let low = low.min(taps);
                let high = taps.min(quotient + 1).max(low);
                let (tap, end) = (taps - high, taps - low);
                let source = (quotient + 1).saturating_sub(high);
                Self::single(position, stride, [source, 1], [first_tap + tap, first_tap + end])
            }));
        }
        Self::join(windows, order, output, input)
    }

    fn single(
        start: usize,
        step: usize,
        [source, source_step]: [usize; 2],
        [tap, end]: [usize; 2],
    ) -> Window {
        let source = if tap == end { 0 } else { source };
        Window { start, step, count: 1, source, source_step, tap, taps: end - tap }
    }

    /// Joins neighbours that see the same taps.
    fn join(single: Vec<Window>, order: Vec<usize>, source_size: usize, target_size: usize) -> Self {
        let mut windows: Vec<Window> = Vec::new();
        for window in single {
            match windows.last_mut() {
                Some(last) if last.accepts(&window) => last.count += 1,
                _ => windows.push(window),
            }
        }
        let result = Self { windows, order, source_size, target_size };
        result.check();
        result
    }

    /// The two promises of the type.
    fn check(&self) {
        let mut seen = vec![false; self.target_size];
        for window in &self.windows {
            for i in 0..window.count {
                let position = window.start + i * window.step;
                assert!(!std::mem::replace(&mut seen[position], true), "position {position} in two windows");
            }
            let last = window.source + (window.count - 1) * window.source_step;
            assert!(
                window.taps == 0 || last + window.taps <= self.source_size,
                "{window:?} leaves the source"
            );
            assert!(window.tap + window.taps <= self.order.len(), "{window:?} leaves the kernel");
        }
        assert!(seen.iter().all(|&seen| seen), "a position is in no window");
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Window> {
        self.windows.iter()
    }

    pub fn order(&self) -> &[usize] {
        &self.order
    }

    pub fn source_size(&self) -> usize {
        self.source_size
    }

    pub fn target_size(&self) -> usize {
        self.target_size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (position, source, tap of the kernel) of every product, from the windows.
    fn products(windows: &Windows) -> Vec<[usize; 3]> {
        let mut all = Vec::new();
        for w in windows.iter() {
            for i in 0..w.count {
                for t in 0..w.taps {
                    let source = w.source + i * w.source_step + t;
                    all.push([w.start + i * w.step, source, windows.order()[w.tap + t]]);
                }
            }
        }
        all.sort();
        all
    }

    #[test]
    fn windows_name_every_product_inside_the_image_once() {
        for (input, kernel, stride, before, after) in small_cases() {
            let padded = input + before + after;
            if padded < kernel {
                continue;
            }
            let output = (padded - kernel) / stride + 1;
            let mut expected = Vec::new();
            for o in 0..output {
                for t in 0..kernel {
                    let i = o * stride + t;
                    if i >= before && i - before < input {
                        expected.push([o, i - before, t]);
                    }
                }
            }
            let forward = Windows::forward(input, output, kernel, stride, before);
            assert_eq!(products(&forward), expected, "input {input} kernel {kernel} stride {stride}");
            expected.iter_mut().for_each(|product| product.swap(0, 1));
            expected.sort();
            let backward = Windows::backward(input, output, kernel, stride, before);
            assert_eq!(products(&backward), expected, "input {input} kernel {kernel} stride {stride}");
        }
    }

    fn small_cases() -> Vec<(usize, usize, usize, usize, usize)> {
        let mut all = Vec::new();
        for input in 1..9 {
            for kernel in 1..7 {
                for stride in 1..5 {
                    for (before, after) in [(0, 0), (1, 2), (3, 0), (0, 4), (7, 7)] {
                        all.push((input, kernel, stride, before, after));
                    }
                }
            }
        }
        all
    }

    #[test]
    fn the_middle_of_the_image_is_one_window() {
        // 64 pixels, 5 taps, stride 2, one zero before and two after: the first and the last position differ.
        let windows = Windows::forward(64, 32, 5, 2, 1);
        let counts: Vec<_> = windows.iter().map(|w| (w.start, w.count, w.taps)).collect();
        assert_eq!(counts, [(0, 1, 4), (1, 30, 5), (31, 1, 3)]);
    }
}
