import type { ServerContext } from '../../contracts/feature.js';
import { UNSAFE_TEXT } from '../../http/unsafe-text.js';
import { AUTHORIZATION_DETAILS, type AuthorizationDetail } from '../../contracts/authorization-details.js';

/** An authorization detail in the form in which users see it. */
export interface ShownDetail {
  detail: AuthorizationDetail;
  /** The title of the type, or the name of the type if it has no title. */
  title: string;
  /** The lines of the description. */
  lines: readonly string[];
}

/**
 * Returns authorization details with titles and lines for users, as the types of the server describe them. RFC 9396 §12
 */
export function shownDetails(
  details: readonly AuthorizationDetail[],
  { server, language }: { server: Pick<ServerContext, 'find'>; language: string },
): ShownDetail[] {
  const supported = server.find(AUTHORIZATION_DETAILS);
  return details.map((detail) => {
    const type = supported?.types.get(detail.type);
    const lines = type?.describe ? [type.describe(detail, language)].flat() : linesOf(detail);
    return { detail, title: displayText(type?.title ?? detail.type), lines: lines.map(displayText) };
  });
}

/** Returns a line for each field, with its name and value. Fields of nested objects are marked with `›`. */
function linesOf({ type: _, ...fields }: AuthorizationDetail): string[] {
  const lines: string[] = [];
  const add = (all: object, mark: string): void => {
    for (const [name, value] of Object.entries(all) as [string, unknown][]) {
      if (typeof value !== 'object' || value === null || isTexts(value)) lines.push(`${mark}${name}: ${textOf(value)}`);
      else {
        lines.push(`${mark}${name}:`);
        add(value, `${mark}› `);
      }
    }
  };
  add(fields, '');
  return lines;
}

const isTexts = (value: object): value is unknown[] =>
  Array.isArray(value) && value.every((one) => typeof one !== 'object' || one === null);

const textOf = (value: unknown): string => (Array.isArray(value) ? value.map(String).join(', ') : String(value));

const displayText = (text: string) => text.replaceAll(UNSHOWABLE_CHARACTERS, '\u{FFFD}');
const UNSHOWABLE_CHARACTERS = new RegExp(UNSAFE_TEXT, 'g');
