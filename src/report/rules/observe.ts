import type { ReportClient } from '../facts/client.js';
import type { ReportFacts } from '../facts/facts.js';
import type { Observation } from '../rule.js';

/** The result of a search at one subject: the sentence, the whole observation, or a falsy value. */
type Found = string | Omit<Observation, 'subject'> | false | undefined;

/** Returns one observation about a subject if something was found. */
export const observe = (subject: string, found: Found): readonly Observation[] =>
  found ? [{ subject, ...(typeof found === 'string' ? { is: found } : found) }] : [];

/** Returns one observation about an option if something was found. */
export const option = (name: string, found: Found) => observe(`option:${name}`, found);

/** Returns one observation for each client at which something was found. */
export const perClient = ({ clients }: ReportFacts, find: (client: ReportClient) => Found): readonly Observation[] =>
  clients.flatMap((client) => observe(`client:${client.id}`, find(client)));

/** Returns one observation for each client with redirect URIs that match. The sentence lists up to three of them. */
export const perRedirectUri = (
  { clients }: ReportFacts,
  matches: (uri: string, client: ReportClient) => boolean,
  sentence: (uris: string) => string,
): readonly Observation[] =>
  clients.flatMap((client) => {
    const found = client.redirectUris.filter((uri) => matches(uri, client));
    return observe(`client:${client.id}`, found.length > 0 && sentence(listed(found.map(shownUri))));
  });

/** Returns up to three texts in backticks, and the number of the others. */
export const listed = (texts: readonly string[]): string => {
  const shown = texts.slice(0, 3).map((text) => `\`${text}\``);
  return shown.join(', ') + (texts.length > 3 ? ` and ${texts.length - 3} more` : '');
};

/** Returns a URL, or `undefined` if the text is none. */
export const urlOf = (text: unknown): URL | undefined =>
  typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;

/**
 * Returns a URI without credentials and without the values of its query, which may be secrets. Any other text is
 * shortened in the same way.
 */
export function shownUri(uri: string): string {
  const [, base = '', query] = /^([^?#]*)(?:\?([^#]*))?/.exec(uri)!;
  const names = (query ?? '').split('&').map((pair) => pair.split('=', 1)[0]);
  return base.replace(/\/\/[^/]*@/, '//…@') + (query === undefined ? '' : `?${names.join('=…&')}=…`);
}

/** Whether the value of a setting is a number above a limit. */
export const isAbove = (value: unknown, limit: number): value is number => typeof value === 'number' && value > limit;

/** Returns the observation about a route without `OAuthGuard`. It is only a fact if other guards may verify tokens. */
export const unguarded = (beginning: string, otherGuards: readonly string[]): Found =>
  otherGuards.length === 0
    ? `${beginning} without \`OAuthGuard\`.`
    : { is: `${beginning} without \`OAuthGuard\`, but with the guards ${listed(otherGuards)}.`, severity: 'info' };

/** Seconds of a day. */
export const DAY = 86_400;
