import { existsSync } from 'node:fs';
import { describe } from '@jest/globals';
import axe from 'axe-core';
import { fileURLToPath } from 'node:url';
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Page,
  type PageScreenshotOptions,
} from 'playwright-core';

import { INSTALL_PROGRAMS, reportMissing } from '../support/environment/requirements.js';

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const screenshots = fileURLToPath(new URL('screenshots/', import.meta.url));
const flags = '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking';

const hasBrowser = existsSync(executablePath);
if (!hasBrowser) reportMissing(`Chromium at ${executablePath}`, INSTALL_PROGRAMS);

/** Like `describe()`, for tests that open a browser. Without Chromium they are skipped. */
export const describeInBrowser = hasBrowser ? describe : describe.skip;

export async function openBrowser(): Promise<Browser> {
  const args = [...flags.split(' '), '--disable-component-update', '--disable-sync'];
  return chromium.launch({ executablePath, args });
}

/** A browser page that records its problems. */
export interface OpenedPage {
  page: Page;
  /** Errors, violations of the content security policy, and accessibility problems found by axe. */
  complaints: string[];
  /** Looks for problems, and returns by how many pixels the page is wider than the window. */
  look(name: string): Promise<number>;
}

export async function openPage(browser: Browser, options: BrowserContextOptions): Promise<OpenedPage> {
  const page = await (await browser.newContext(options)).newPage();
  page.setDefaultTimeout(30_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // Chromium reports each 400, 401, 403, 409 and 410 that a test causes intentionally.
    if (/^error|warning$/.test(message.type()) && !/status of 4(?:0[0139]|10) /.test(message.text())) {
      complaints.push(message.text());
    }
  });
  const look = async (name: string) => {
    await keepScreenshot(page, name, { fullPage: true });
    complaints.push(...(await inaccessible(page)));
    return page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
  };
  return { page, complaints, look };
}

/** Saves a screenshot in `screenshots` if the variable `SCREENSHOTS` is set. Taking it needs more time than many tests. */
export async function keepScreenshot(page: Page, name: string, options: PageScreenshotOptions = {}): Promise<void> {
  if (process.env['SCREENSHOTS']) await page.screenshot({ path: `${screenshots}${name}.png`, ...options });
}

/** Returns the accessibility problems of a page according to all rules of axe, except the rules in `without`. */
export async function inaccessible(page: Page, without: readonly string[] = []): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source);
  const rules = Object.fromEntries(without.map((rule) => [rule, { enabled: false }]));
  // Describing the elements that pass takes more time than finding the problems.
  const options = { rules, resultTypes: ['violations'] };
  const { violations } = await page.evaluate<Results>(`axe.run(${JSON.stringify(options)})`);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(', ')}`);
}

interface Results {
  violations: { id: string; nodes: { html: string }[] }[];
}

/** Fills in and submits the login form. */
export async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Username').fill('alice');
  await page.getByLabel('Password').fill('wonderland');
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Presses Tab until the control with this name has the focus and a visible focus ring. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const named = page.locator(':focus-visible').and(page.getByLabel(name).or(page.getByRole('button', { name })));
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab');
    if (await named.count()) {
      const ring = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
      if (ring === 'none') throw new Error(`${name} has the focus, and nothing shows it`);
      return;
    }
  }
  throw new Error(`Tab does not reach ${name}`);
}

/** Adds a virtual authenticator that confirms every request. */
export async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
  } as const;
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
  });
}
