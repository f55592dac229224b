import type { Html } from './html.js';

/** A logo, such as that of an identity provider. Each image is a `data:` URI of the type PNG, JPEG, WebP or SVG. */
export interface OptionLogo {
  readonly light: string;
  /** The image for the dark color scheme. Default: that of `light`. */
  readonly dark?: string;
}

/** The part of the login page for a method: a link, a button, or HTML of its own. */
export interface LoginOption {
  /** The text of the link or button. */
  readonly label: string | Html;
  /** The path that the link leads to, or that the form of the button posts to. */
  readonly action: string;
  /** The hidden fields of the form. If omitted, the option is a link. */
  readonly fields?: Readonly<Record<string, string>>;
  /** The logo before the text of the link or button. */
  readonly logo?: OptionLogo | undefined;
  /** Content that is shown instead of a link or button. It must escape its values. */
  readonly main?: Html;
  /** The path of a JavaScript module on this server that the login page loads, for example for passkeys. */
  readonly script?: string;
  /** Whether browsers may offer passkeys in the input of the user name. Web Authentication Level 3 §5.1.4 */
  readonly autofill?: 'webauthn';
}
