import type { ReportClient } from '../facts/client.js';
import type { ReportFacts } from '../facts/facts.js';
import { type Found, type Judge, observe } from '../rule.js';

/** Judges each client. */
export const perClient =
  (find: (client: ReportClient, facts: ReportFacts) => Found): Judge<ReportFacts> =>
  (facts) =>
    facts.clients.flatMap((client) => observe(`client:${client.id}`, find(client, facts)));

/** Judges the redirect URIs of each client. The sentence lists up to three of those that match. */
export const perRedirectUri = (
  matches: (uri: string, client: ReportClient) => boolean,
  sentence: (uris: string) => string,
): Judge<ReportFacts> =>
  perClient((client) => {
    const found = client.redirectUris.filter((uri) => matches(uri, client));
    return found.length > 0 && sentence(listed(found.map(shownUri)));
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
