import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Language } from 'nest-oauth2/pages';
import { PLATFORMS, stopApplications } from '../../support/servers/test-application.js';
import { AccountApplication, PASSWORD } from '../accounts/account-application.js';

const FRENCH = { 'accept-language': 'fr' };
const AUTHORIZE = `/oauth/authorize?${new URLSearchParams({
  response_type: 'code',
  client_id: 'web',
  scope: 'read',
  redirect_uri: 'https://app.example/callback',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
}).toString()}`;

/** Returns the functions that load the languages of the package. */
const load = () => ({
  de: jest.fn(async () => (await import('../../../packages/languages/src/de/index.js')).de as Language),
  fr: jest.fn(async () => (await import('../../../packages/languages/src/fr/index.js')).fr as Language),
});

describe.each(PLATFORMS)('a language that a function loads on %s', (platform) => {
  afterEach(async () => {
    jest.restoreAllMocks();
    await stopApplications();
  });

  it('is loaded once, when the first user prefers it, and no other language is', async () => {
    const languages = load();
    const app = await AccountApplication.start({ platform, look: { languages } });
    expect((await app.browser().get('/oauth/login')).heading).toBe('Sign in');
    expect(languages.fr).not.toHaveBeenCalled();
    for (const path of ['/oauth/login', '/oauth/login', '/oauth/sign_up'])
      expect((await app.browser().get(path, FRENCH)).heading).toMatch(/^(Se connecter|Créer un compte)$/);
    expect(languages.fr).toHaveBeenCalledTimes(1);
    expect(languages.de).not.toHaveBeenCalled();
    // A region that has no texts of its own.
    expect((await app.browser().get('/oauth/login', { 'accept-language': 'de-AT' })).heading).toBe('Anmelden');
  });

  it('is loaded for the consent page and the error page too', async () => {
    const fresh = async () => AccountApplication.start({ platform, look: { languages: load() } });
    const app = await fresh();
    const browser = await app.signUp('alice@example.com', PASSWORD);
    expect((await browser.get(AUTHORIZE, FRENCH)).heading).toBe('Autoriser l’accès ?');
    const other = (await fresh()).browser();
    const failed = await other.get(AUTHORIZE.replace('client_id=web', 'client_id=nobody'), FRENCH);
    expect(failed.html).toContain('est inconnue');
  });

  it('is shown in English if it cannot be loaded, and is tried again', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const { fr } = load();
    const broken = jest
      .fn(fr)
      .mockRejectedValueOnce(new Error('no module'))
      .mockRejectedValueOnce(new Error('no module'));
    const app = await AccountApplication.start({ platform, look: { languages: { fr: broken } } });
    for (const heading of ['Sign in', 'Sign in', 'Se connecter'])
      expect((await app.browser().get('/oauth/login', FRENCH)).heading).toBe(heading);
    const reported = warn.mock.calls.filter(([text]) => String(text).includes('language `fr`'));
    expect(reported).toHaveLength(1);
  });
});
