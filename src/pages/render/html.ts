import { escapeHtml } from '../../../lib/internal.js';

/** HTML source, which is inserted into a page without escaping. All other values are escaped. */
export class Html {
  constructor(readonly source: string) {}

  toString(): string {
    return this.source;
  }
}

/**
 * A template tag for HTML. It escapes every value that is not `Html`, joins lists, and omits `undefined`, `null` and
 * `false`. Put attribute values in quotes.
 */
export function html(parts: TemplateStringsArray, ...values: unknown[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(sourceOf)));
}

function sourceOf(value: unknown): string {
  if (value instanceof Html) return value.source;
  if (Array.isArray(value)) return value.map(sourceOf).join('');
  return value === undefined || value === null || value === false ? '' : escapeHtml(String(value));
}

/**
 * Replaces the `{placeholders}` of a message by values, and escapes the text of the message. A full stop after a value
 * that ends with one, such as the name "Otto P.", is left out.
 */
export function fill(message: string, values: Readonly<Record<string, unknown>> = {}): Html {
  const parts = message.split(/\{(\w+)\}/);
  return html`${parts.map((part, index) => {
    if (index % 2) return values[part];
    const isRepeated = part.startsWith('.') && index > 0 && endsWithStop(values[parts[index - 1]!]);
    return isRepeated ? part.slice(1) : part;
  })}`;
}

/** Whether the visible text of a value ends with a full stop. */
const endsWithStop = (value: unknown) => /\.(?:<\/\w+>)*$/.test(sourceOf(value));

/**
 * Renders a value of unknown writing direction, such as a name, a host or a date, so that it cannot change the order of
 * the text around it. Unicode Standard Annex #9
 */
export const isolated = (value: unknown): Html => html`<bdi>${value}</bdi>`;
