//! A table of settings: from its rows come the flags, the keys of a --config file, the errors for flags without effect and the
//! completed config.toml.

use corevar::model::ModelKind;
pub use corevar::train::TrainConfig;

pub use super::situation::Idle;
pub use super::{Decided, no_effect};
pub use crate::values::shown;

/// A group of settings, one row each:
///
/// ```text
/// /// Help text
/// name: type [how clap reads it] idle(reason why it has no effect here, if so), where its value goes;
/// ```
///
/// The value goes to a field of the configuration, `config(epochs)`; or by two functions that set it and get it back,
/// `by(set, get)`; or it stays as it was typed, `typed`, or `typed(default)`. The help text shows the default, unless it has
/// words of its own for it. What is usual only in some situations follows as `usually(words)`, made of the constants that decide it.
macro_rules! settings {
    (
        $(#[$meta:meta])*
        $group:ident of $situation:ty $(, with $($inner:ident: $inner_type:ident),+)?;
        $( $heading:literal {
            $( $(#[doc = $help:expr])+ $name:ident: $type:ty [$($clap:tt)*] idle($idle:expr), $how:ident $(($($place:tt)+))? $(, usually($usually:expr))?; )+
        } )+
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq, clap::Args, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub struct $group {
            $( $(
                $(#[doc = $help])+
                #[arg(
                    long,
                    help_heading = $heading,
                    help = $crate::settings::group::help(concat!($($help),+), settings!(@help [$($usually)?] $how $(($($place)+))?)),
                    $($clap)*
                )]
                pub $name: Option<$type>,
            )+ )+
            $( $(
                #[command(flatten)]
                #[serde(flatten)]
                pub $inner: $inner_type,
            )+ )?
        }

        impl $group {
            /// Whoever typed a flag expects an effect: the first without one is an error.
            pub fn refuse_idle(&self, situation: &$situation) -> Result<(), $crate::failure::Usage> {
                $( $(
                    let idle: fn(&$situation) -> $crate::settings::group::Idle = $idle;
                    if let Some(why) = idle(situation).filter(|_| self.$name.is_some()) {
                        return Err($crate::settings::group::no_effect(stringify!($name), &why));
                    }
                )+ )+
                Ok(())
            }

            /// Puts what is given into the configuration.
            pub fn apply(&self, config: &mut $crate::settings::group::TrainConfig) {
                $( $( settings!(@set $how $(($($place)+))?, config, self.$name); )+ )+
                $( $( self.$inner.apply(config); )+ )?
            }

            /// Drops what has no effect in a situation.
            #[allow(dead_code, reason = "an encoder completes its settings by itself")]
            pub fn without_idle(mut self, situation: &$situation) -> Self {
                $( $(
                    let idle: fn(&$situation) -> $crate::settings::group::Idle = $idle;
                    self.$name = self.$name.take().filter(|_| idle(situation).is_none());
                )+ )+
                self
            }

            /// Every setting that has an effect, with its value.
            #[allow(dead_code, reason = "as above")]
            pub fn complete(&self, decided: &$crate::settings::group::Decided, situation: &$situation) -> Self {
                Self {
                    $( $( $name: settings!(@get $how $(($($place)+))?, decided, self.$name), )+ )+
                    $( $( $inner: self.$inner.clone(), )+ )?
                }
                .without_idle(situation)
            }
        }
    };
    (@help [$usually:expr] $($how:tt)+) => { Some($usually.to_string()) };
    (@help [] $($how:tt)+) => { settings!(@default $($how)+) };
    (@default config($($place:tt)+)) => { Some($crate::settings::group::shown(&$crate::settings::group::TrainConfig::default().$($place)+)) };
    (@default by($set:expr, $get:expr)) => {{
        let get: fn(&$crate::settings::group::Decided) -> Option<_> = $get;
        $crate::settings::group::usual(get)
    }};
    (@default typed($default:expr)) => { Some($crate::settings::group::shown(&$default)) };
    (@default typed) => { None };
    (@set config($($place:tt)+), $config:ident, $value:expr) => {
        if let Some(value) = $value.clone() { $config.$($place)+ = value; }
    };
    (@set by($set:expr, $get:expr), $config:ident, $value:expr) => {
        if let Some(value) = $value.clone() {
            let set: fn(&mut $crate::settings::group::TrainConfig, _) = $set;
            set($config, value);
        }
    };
    (@set typed $(($default:expr))?, $config:ident, $value:expr) => {
        let _ = &$config;
    };
    (@get config($($place:tt)+), $decided:ident, $typed:expr) => { Some($decided.config.$($place)+.clone()) };
    (@get by($set:expr, $get:expr), $decided:ident, $typed:expr) => {{
        let get: fn(&$crate::settings::group::Decided) -> Option<_> = $get;
        get($decided)
    }};
    (@get typed $(($default:expr))?, $decided:ident, $typed:expr) => {{
        let _ = $decided;
        $typed.clone()
    }};
}

pub(super) use settings;

/// The text of --help, with the default unless the text names it: one that depends on other settings is put in words.
pub fn help(text: &str, default: Option<String>) -> String {
    let text = text.trim();
    match default.filter(|_| !text.contains("[default")) {
        Some(default) => format!("{text} [default: {default}]"),
        None => text.into(),
    }
}

/// The default of a setting that has an effect with some models only, or only when a weight is chosen.
pub fn usual<T: serde::Serialize>(get: fn(&Decided) -> Option<T>) -> Option<String> {
    let value =
        [ModelKind::Cnn, ModelKind::Mlp].into_iter().find_map(|model| get(&Decided::usual(model, false)));
    value.or_else(|| get(&Decided::usual(ModelKind::Cnn, true))).map(|value| shown(&value))
}
