/** The parts of a page that its Content Security Policy must allow. */
export interface EmbeddedContent {
  frames?: readonly string[];
  scripts?: readonly string[];
  clientLogo?: string | undefined;
}

/** Returns the origins of the frames of a page. */
export function framesOf({ frames = [] }: EmbeddedContent): readonly string[] {
  return [...new Set(frames.map((url) => new URL(url).origin))];
}

/**
 * Returns the sources of `img-src`. Without a logo the icon is an empty `data:` URI, so that browsers do not request
 * `/favicon.ico`.
 */
export function imageSources(logo: string | undefined, clientLogo: string | undefined): string {
  if (logo === undefined) return 'data:';
  const source = URL.canParse(logo) ? new URL(logo).origin : "'self'";
  return clientLogo === undefined ? source : `${source} data:`;
}
