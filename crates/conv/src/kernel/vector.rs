//! Eight floats at a time: AVX2 registers where the processor has them, arrays elsewhere.

/// Eight `f32` and the few operations that the kernels need.
///
/// # Safety
/// The methods may be called only where the instructions of the implementing type exist: for [`Avx2`] inside a
/// function with `#[target_feature(enable = "avx2,fma")]`. Pointers must be valid for eight floats; they need no
/// alignment.
pub(crate) trait Vector: Copy {
    unsafe fn splat(value: f32) -> Self;
    unsafe fn load(from: *const f32) -> Self;
    unsafe fn store(self, to: *mut f32);
    unsafe fn add(self, other: Self) -> Self;
    /// `self * factor + addend`, fused where the processor can.
    unsafe fn mul_add(self, factor: Self, addend: Self) -> Self;
    /// Leaky ReLU for a slope above 0.
    unsafe fn leaky(self, slope: Self) -> Self;
    /// ReLU that keeps NaN.
    unsafe fn relu(self) -> Self;
    /// `self`, times the slope where `output` is negative: the gradient of [`leaky`](Self::leaky).
    unsafe fn leaky_gradient(self, output: Self, slope: Self) -> Self;
    /// `self`, 0 where `output` is 0 or negative: the gradient of [`relu`](Self::relu).
    unsafe fn relu_gradient(self, output: Self) -> Self;
}

/// Floats in a [`Vector`].
pub(crate) const LANES: usize = 8;

/// The path for every processor.
#[derive(Clone, Copy)]
pub(crate) struct Portable([f32; LANES]);

impl Portable {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        let mut out = self.0;
        for (a, &b) in out.iter_mut().zip(&other.0) {
            *a = f(*a, b);
        }
        Portable(out)
    }
}

/// Without the instruction, `f32::mul_add` is a slow library call.
#[inline(always)]
fn mul_add(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) { a.mul_add(b, c) } else { a * b + c }
}

impl Vector for Portable {
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Portable([value; LANES])
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: valid for eight floats by the trait's contract; the read needs no alignment beyond f32.
        Portable(unsafe { from.cast::<[f32; LANES]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: as for `load`.
        unsafe { to.cast::<[f32; LANES]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, addend: Self) -> Self {
        let mut out = self.0;
        for i in 0..LANES {
            out[i] = mul_add(self.0[i], factor.0[i], addend.0[i]);
        }
        Portable(out)
    }

    #[inline(always)]
    unsafe fn leaky(self, slope: Self) -> Self {
        self.zip(slope, |value, slope| if value < 0.0 { value * slope } else { value })
    }

    #[inline(always)]
    unsafe fn relu(self) -> Self {
        self.zip(self, |value, _| if value <= 0.0 { 0.0 } else { value })
    }

    #[inline(always)]
    unsafe fn leaky_gradient(self, output: Self, slope: Self) -> Self {
        let scaled = self.zip(slope, |gradient, slope| gradient * slope);
        let mut out = self.0;
        for i in 0..LANES {
            out[i] = if output.0[i] < 0.0 { scaled.0[i] } else { self.0[i] };
        }
        Portable(out)
    }

    #[inline(always)]
    unsafe fn relu_gradient(self, output: Self) -> Self {
        self.zip(output, |gradient, output| if output <= 0.0 { 0.0 } else { gradient })
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::Vector;

    /// The path for x86-64 processors since 2013 (Intel) and 2015 (AMD).
    #[derive(Clone, Copy)]
    pub(crate) struct Avx2(__m256);

    // The trait's contract, which the comments below point to: AVX2 and FMA exist where the methods are called, and
    // pointers are valid for eight floats. The unaligned forms of load and store are used.
    impl Vector for Avx2 {
        #[inline(always)]
        unsafe fn splat(value: f32) -> Self {
            // SAFETY: the trait's contract.
            Avx2(unsafe { _mm256_set1_ps(value) })
        }

        #[inline(always)]
        unsafe fn load(from: *const f32) -> Self {
            // SAFETY: the trait's contract.
            Avx2(unsafe { _mm256_loadu_ps(from) })
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut f32) {
            // SAFETY: the trait's contract.
            unsafe { _mm256_storeu_ps(to, self.0) }
        }

        #[inline(always)]
        unsafe fn add(self, other: Self) -> Self {
            // SAFETY: the trait's contract.
            Avx2(unsafe { _mm256_add_ps(self.0, other.0) })
        }

        #[inline(always)]
        unsafe fn mul_add(self, factor: Self, addend: Self) -> Self {
            // SAFETY: the trait's contract.
            Avx2(unsafe { _mm256_fmadd_ps(self.0, factor.0, addend.0) })
        }

        #[inline(always)]
        unsafe fn leaky(self, slope: Self) -> Self {
            // SAFETY: the trait's contract.
            unsafe { self.leaky_gradient(self, slope) }
        }

        #[inline(always)]
        unsafe fn relu(self) -> Self {
            // `max` returns its second operand when either is NaN, so NaN stays.
            // SAFETY: the trait's contract.
            Avx2(unsafe { _mm256_max_ps(_mm256_setzero_ps(), self.0) })
        }

        #[inline(always)]
        unsafe fn leaky_gradient(self, output: Self, slope: Self) -> Self {
            // SAFETY: the trait's contract.
            unsafe {
                let negative = _mm256_cmp_ps::<_CMP_LT_OQ>(output.0, _mm256_setzero_ps());
                Avx2(_mm256_blendv_ps(self.0, _mm256_mul_ps(self.0, slope.0), negative))
            }
        }

        #[inline(always)]
        unsafe fn relu_gradient(self, output: Self) -> Self {
            // SAFETY: the trait's contract.
            unsafe {
                let off = _mm256_cmp_ps::<_CMP_LE_OQ>(output.0, _mm256_setzero_ps());
                Avx2(_mm256_andnot_ps(off, self.0))
            }
        }
    }
}
