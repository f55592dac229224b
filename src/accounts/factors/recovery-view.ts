import { html, type Html } from '../../pages/index.js';
import type { AccountMessage } from '../messages.js';

type Message = (key: AccountMessage, values?: Readonly<Record<string, unknown>>) => Html;

/** Renders recovery codes, which are shown once. One click selects all of them. */
export function recoveryView(codes: readonly string[], message: Message): Html {
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(`${codes.join('\n')}\n`)}`;
  return html`<p>${message('recoveryText')}</p>
    <p class="codes">${codes.map((code) => html`<code>${code}</code> `)}</p>
    <p><a href="${file}" download="recovery-codes.txt">${message('recoveryDownload')}</a></p>`;
}
