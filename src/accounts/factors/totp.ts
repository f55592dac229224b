import type * as OtpLib from 'otplib';
import type * as Uqr from 'uqr';
import { configurationError } from '../../../lib/internal.js';
import { optionalPackage } from '../../configuration/optional-package.js';
import { html, type Html } from '../../pages/index.js';

/** The packages that only `accounts({ authenticator: true })` needs. */
interface Libraries {
  readonly otp: typeof OtpLib;
  readonly qr: typeof Uqr;
}

/** Seconds of a time step, in which an app shows the same code. RFC 6238 §4.1 */
const STEP = 30;

/** Whether a test runner cannot load ES modules, such as Jest without `--experimental-vm-modules`. */
const isUnableToLoad = ({ code }: NodeJS.ErrnoException) => code === 'ERR_REQUIRE_ESM';

/** Loads `otplib` and `uqr`. */
const loadTotp = optionalPackage<Libraries>(
  async () => {
    const [otp, qr] = await Promise.all([import('otplib'), import('uqr')]);
    return { otp, qr };
  },
  (cause) =>
    isUnableToLoad(cause)
      ? cause
      : configurationError(
          `\`authenticator\` of \`accounts()\` requires two packages: run \`npm install otplib uqr\`. ${cause.message}`,
        ),
);

/**
 * Loads `otplib` and `uqr` when the application starts. In a test runner that cannot load ES modules, the application
 * starts too: only the pages of the app fail, because `otplib` requires such a module.
 * @throws {InvalidArgumentError} If a package is not installed.
 */
export async function requireTotp(): Promise<void> {
  try {
    await loadTotp();
  } catch (error) {
    if (!isUnableToLoad(error as Error)) throw error;
  }
}

/** Returns a new secret of 160 bits in Base32. RFC 4226 §4 */
export async function newTotpSecret(): Promise<string> {
  const { otp } = await loadTotp();
  return otp.generateSecret({ length: 20 });
}

/**
 * Verifies a code of six digits. The clock of the telephone may differ by one time step. RFC 6238 §5.2
 * @returns the time step of the code. `undefined` if the code is wrong.
 */
export async function verifyTotp(secret: string, code: string): Promise<number | undefined> {
  if (!/^\d{6}$/.test(code)) return undefined;
  const { otp } = await loadTotp();
  const result = await otp.verify({ secret, token: code, epochTolerance: STEP });
  return result.valid && 'timeStep' in result ? result.timeStep : undefined;
}

/** Returns the URI by which an app adds the account. */
export async function totpUri(secret: string, { issuer, label }: { issuer: string; label: string }): Promise<string> {
  const { otp } = await loadTotp();
  return otp.generateURI({ issuer, label, secret });
}

/**
 * Returns a function that renders a text as a QR code. It is black on white in every theme, so that cameras can read
 * it. ISO/IEC 18004
 */
export async function qrCode(text: string): Promise<(label: Html) => Html> {
  const { qr } = await loadTotp();
  const { data, size } = qr.encode(text, { ecc: 'M', border: 4 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  return (label) =>
    html`<svg
      role="img"
      aria-label="${label}"
      viewBox="0 0 ${size} ${size}"
      width="240"
      height="240"
      shape-rendering="crispEdges"
    >
      <rect width="${size}" height="${size}" fill="#fff" />
      <path d="${dark.join('')}" fill="#000" />
    </svg>`;
}
