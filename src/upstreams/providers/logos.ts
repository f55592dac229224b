import type { OptionLogo } from '../../pages/render/login-option.js';

type Shape = readonly [color: string, path: string];

/** Returns an SVG image of a square with these shapes as a `data:` URI. */
function svg(size: number, ...shapes: readonly Shape[]): string {
  const paths = shapes.map(([color, path]) => `<path fill="${color}" d="${path}"/>`).join('');
  const source = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}">${paths}</svg>`;
  return `data:image/svg+xml;base64,${Buffer.from(source).toString('base64')}`;
}

/**
 * The logo of Google in its standard colors, which the button must have in both color schemes.
 * https://developers.google.com/identity/branding-guidelines
 */
export const GOOGLE_LOGO: OptionLogo = {
  light: svg(
    48,
    [
      '#EA4335',
      'M24 9.5c3.54 0 6.71 1.22 9.21 3.6l6.85-6.85C35.9 2.38 30.47 0 24 0 14.62 0 6.51 5.38 2.56 13.22l7.98' +
        ' 6.19C12.43 13.72 17.74 9.5 24 9.5z',
    ],
    [
      '#4285F4',
      'M46.98 24.55c0-1.57-.15-3.09-.38-4.55H24v9.02h12.94c-.58 2.96-2.26 5.48-4.78 7.18l7.73 6c4.51-4.18 7' +
        '.09-10.36 7.09-17.65z',
    ],
    [
      '#FBBC05',
      'M10.53 28.59c-.48-1.45-.76-2.99-.76-4.59s.27-3.14.76-4.59l-7.98-6.19C.92 16.46 0 20.12 0 24c0 3.88.9' +
        '2 7.54 2.56 10.78l7.97-6.19z',
    ],
    [
      '#34A853',
      'M24 48c6.48 0 11.93-2.13 15.89-5.81l-7.73-6c-2.15 1.45-4.92 2.3-8.16 2.3-6.26 0-11.57-4.22-13.47-9.9' +
        '1l-7.98 6.19C6.51 42.62 14.62 48 24 48z',
    ],
  ),
};

/**
 * The logo of Microsoft: four squares in its colors, in both color schemes.
 * https://learn.microsoft.com/entra/identity-platform/howto-add-branding-in-apps
 */
export const MICROSOFT_LOGO: OptionLogo = {
  light: svg(
    21,
    ['#F25022', 'M0 0h10v10H0z'],
    ['#7FBA00', 'M11 0h10v10H11z'],
    ['#00A4EF', 'M0 11h10v10H0z'],
    ['#FFB900', 'M11 11h10v10H11z'],
  ),
};

const INVERTOCAT =
  'M8 0c4.42 0 8 3.58 8 8a8.013 8.013 0 0 1-5.45 7.59c-.4.08-.55-.17-.55-.38 0-.27.01-1.13.01-2.2 0-.75' +
  '-.25-1.23-.54-1.48 1.78-.2 3.65-.88 3.65-3.95 0-.88-.31-1.59-.82-2.15.08-.2.36-1.02-.08-2.12 0 0-.67' +
  '-.22-2.2.82-.64-.18-1.32-.27-2-.27-.68 0-1.36.09-2 .27-1.53-1.03-2.2-.82-2.2-.82-.44 1.1-.16 1.92-.0' +
  '8 2.12-.51.56-.82 1.28-.82 2.15 0 3.06 1.86 3.75 3.64 3.95-.23.2-.44.55-.51 1.07-.46.21-1.61.55-2.33' +
  '-.66-.15-.24-.6-.83-1.23-.82-.67.01-.27.38.01.53.34.19.73.9.82 1.13.16.45.68 1.31 2.69.94 0 .67.01 1' +
  '.3.01 1.49 0 .21-.15.45-.55.38A7.995 7.995 0 0 1 0 8c0-4.42 3.58-8 8-8Z';

/** The Invertocat of GitHub, in black or white and otherwise unchanged. https://github.com/logos */
export const GITHUB_LOGO: OptionLogo = {
  light: svg(16, ['#000', INVERTOCAT]),
  dark: svg(16, ['#fff', INVERTOCAT]),
};
