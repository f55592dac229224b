import { html, type Html } from '../../pages/index.js';

/** The values with which the script creates or uses a passkey. */
export interface PasskeyOptions {
  readonly challenge: string;
  readonly rpId: string;
  /** The IDs of the passkeys that may be used or, for a new passkey, that exist already. */
  readonly ids: readonly string[];
  readonly userVerification: 'required' | 'preferred';
  /** Whether the browser offers passkeys in the input of the user name. Web Authentication Level 3 §5.1.4 */
  readonly autofill?: boolean;
  /** The user of a new passkey. */
  readonly user?: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly rpName?: string;
}

/**
 * Renders the part of a form that the script completes: the form has a hidden field `response`. The part is hidden in
 * browsers without scripts or passkeys.
 * @param content the inputs and the button
 * @param problem the message for a passkey that the device could not use
 */
export const passkeyBox = (options: PasskeyOptions, content: Html, problem: Html): Html =>
  html`<div class="stack" data-passkey="${JSON.stringify(options)}" hidden>
    <p class="notice bad" role="alert" hidden>${problem}</p>
    ${content}
  </div>`;
