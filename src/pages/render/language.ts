/** The syntax of a language tag. RFC 5646 §2.1 */
const TAG = /^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/i;
/** Maximum number of language tags that are read from a header or parameter. */
const MAX_TAGS = 20;

/** The language preferences in a request. */
export interface LanguagePreferences {
  /**
   * The `ui_locales` of an authorization request: language tags in order of preference, separated by spaces. OpenID
   * Connect Core 1.0 §3.1.2.1
   */
  uiLocales?: unknown;
  /** The `Accept-Language` header. RFC 9110 §12.5.4 */
  acceptLanguage?: string | undefined;
}

/** The language preferences of a user, and how long the user must wait. */
export interface PageReader extends LanguagePreferences {
  /** The `Retry-After` of the response, in seconds, if the request came too soon. RFC 9110 §10.2.3 */
  retryAfter?: string | undefined;
}

/**
 * Returns a duration in the words of a language, such as `5 minutes`: minutes, or hours if it is two hours or longer.
 * It is rounded up.
 */
export function durationText(language: string, seconds: number): string {
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  const [value, unit] = minutes < 120 ? [minutes, 'minute'] : [Math.ceil(minutes / 60), 'hour'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}

/** Returns the available language that the user prefers most, or the first available one. RFC 4647 §3.4 */
export function chooseLanguage(
  available: readonly string[],
  { uiLocales, acceptLanguage }: LanguagePreferences,
): string {
  const requested = typeof uiLocales === 'string' ? uiLocales.split(' ', MAX_TAGS) : [];
  for (const tag of [...requested, ...byWeight(acceptLanguage)]) {
    if (!TAG.test(tag)) continue;
    const match = lookUp(available, tag.toLowerCase());
    if (match !== undefined) return match;
  }
  return available[0]!;
}

/**
 * Returns an available language for a tag, or `undefined`. `de-CH` matches `de-CH`, then `de`, then another variant of
 * `de`.
 */
function lookUp(available: readonly string[], tag: string): string | undefined {
  for (let range = tag; range !== ''; range = range.slice(0, Math.max(range.lastIndexOf('-'), 0))) {
    const match = available.find((one) => one.toLowerCase() === range);
    if (match !== undefined) return match;
  }
  return available.find((one) => one.toLowerCase().startsWith(`${tag}-`));
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

/** Whether a language is written from right to left. */
export const isRightToLeft = (language: string): boolean => /^(?:ar|fa|he|ps|ur|yi)\b/i.test(language);
