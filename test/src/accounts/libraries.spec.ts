import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { stopApplications } from '../../support/servers/test-application.js';

const loaded: string[] = [];
let failure: () => Error = () => new Error('It is not installed.');
for (const name of ['otplib', 'uqr', '@simplewebauthn/server']) {
  jest.unstable_mockModule(name, () => {
    loaded.push(name);
    throw failure();
  });
}
const { AccountApplication } = await import('./account-application.js');

describe('the libraries of second factors', () => {
  afterEach(stopApplications);

  it('are not loaded without the options that need them', async () => {
    const app = await AccountApplication.start();
    const browser = await app.signUp('alice@example.com');
    expect((await browser.get('/oauth/account')).status).toBe(200);
    expect(loaded).toEqual([]);
  });

  it('prevent the start if an option needs them and they are not installed', async () => {
    await expect(AccountApplication.start({ options: { authenticator: true } })).rejects.toThrow(
      '`authenticator` of `accounts()` requires two packages: run `npm install otplib uqr`. It is not installed.',
    );
    await expect(AccountApplication.start({ options: { passkeys: true } })).rejects.toThrow(
      '`passkeys` of `accounts()` requires a package: run `npm install @simplewebauthn/server`. It is not installed.',
    );
  });

  it('do not prevent the start in a test runner that cannot load their ES modules', async () => {
    failure = () => Object.assign(new Error('Must use import to load ES Module'), { code: 'ERR_REQUIRE_ESM' });
    await expect(AccountApplication.start({ options: { authenticator: true } })).resolves.toBeDefined();
  });
});
