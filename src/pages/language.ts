/** A language tag, or none: what a browser sends in a header may be anything. RFC 5646 §2.1 */
const TAG = /^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/i;
/** No header is read further. */
const MAX_TAGS = 20;

/** What of a request tells the language of its user. */
export interface LanguagePreferences {
  /** Of an authorization request: tags in order, separated by spaces. OpenID Connect Core 1.0 §3.1.2.1 */
  uiLocales?: unknown;
  /** The header. RFC 9110 §12.5.4 */
  acceptLanguage?: string | undefined;
}

/** The first language among those there are that the user likes; else the first there is. RFC 4647 §3.4 */
export function chooseLanguage(known: readonly string[], { uiLocales, acceptLanguage }: LanguagePreferences): string {
  const asked = typeof uiLocales === 'string' ? uiLocales.split(' ', MAX_TAGS) : [];
  for (const tag of [...asked, ...byWeight(acceptLanguage)]) {
    if (!TAG.test(tag)) continue;
    const found = lookUp(known, tag.toLowerCase());
    if (found !== undefined) return found;
  }
  return known[0]!;
}

/** `de-CH` is looked for as such, then as `de`; who likes `de` is content with `de-AT`. */
function lookUp(known: readonly string[], tag: string): string | undefined {
  for (let range = tag; range !== ''; range = range.slice(0, Math.max(range.lastIndexOf('-'), 0))) {
    const found = known.find((one) => one.toLowerCase() === range);
    if (found !== undefined) return found;
  }
  return known.find((one) => one.toLowerCase().startsWith(`${tag}-`));
}

function byWeight(header = ''): string[] {
  const entries = header.split(',', MAX_TAGS).map((entry) => {
    const [tag = '', ...parameters] = entry.split(';').map((part) => part.trim());
    const quality = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2);
    return { tag, weight: quality === undefined ? 1 : Number(quality) || 0 };
  });
  return entries
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
}

/** Is it written from right to left? */
export const isRightToLeft = (language: string): boolean => /^(?:ar|fa|he|ps|ur|yi)\b/i.test(language);
