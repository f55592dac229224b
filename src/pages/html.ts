import { escapeHtml } from '../../lib/adapter/index.js';

/** Text that is HTML already. Everything else that goes into a page is escaped. */
export class Html {
  constructor(readonly source: string) {}

  toString(): string {
    return this.source;
  }
}

/**
 * Writes HTML in which every value is escaped, unless it was itself written with this tag. Lists are joined; `undefined`,
 * `null` and `false` are nothing. Attributes are to be quoted.
 */
export function html(parts: TemplateStringsArray, ...values: unknown[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(sourceOf)));
}

function sourceOf(value: unknown): string {
  if (value instanceof Html) return value.source;
  if (Array.isArray(value)) return value.map(sourceOf).join('');
  return value === undefined || value === null || value === false ? '' : escapeHtml(String(value));
}

/** A message with values in place of its `{names}`; the words of the message are escaped like any other. */
export function fill(message: string, values: Readonly<Record<string, unknown>> = {}): Html {
  const parts = message.split(/\{(\w+)\}/);
  return html`${parts.map((part, index) => (index % 2 ? values[part] : part))}`;
}
