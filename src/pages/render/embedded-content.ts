import type { LoginOption } from './login-option.js';

/** The parts of a page that its Content Security Policy must allow. */
export interface EmbeddedContent {
  frames?: readonly string[];
  scripts?: readonly string[];
  clientLogo?: string | undefined;
  methods?: readonly LoginOption[];
}

/** Returns the origins of the frames of a page. */
export function framesOf({ frames = [] }: EmbeddedContent): readonly string[] {
  return [...new Set(frames.map((url) => new URL(url).origin))];
}

/** Whether a page contains images as `data:` URIs. */
export const embedsImages = ({ clientLogo, methods = [] }: EmbeddedContent): boolean =>
  clientLogo !== undefined || methods.some(({ logo }) => logo !== undefined);

/**
 * Returns the sources of `img-src`. Without a logo the icon is an empty `data:` URI, so that browsers do not request
 * `/favicon.ico`.
 */
export function imageSources(logo: string | undefined, hasImages: boolean): string {
  if (logo === undefined) return 'data:';
  const source = URL.canParse(logo) ? new URL(logo).origin : "'self'";
  return hasImages ? `${source} data:` : source;
}
