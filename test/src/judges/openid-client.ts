import * as openid from 'openid-client';
import { type Browser, CALLBACK, type Discover, type Judge, type Parameters } from './judge.js';

export const discover: Discover = async (issuer, { id, secret }) => {
  const auth = secret === undefined ? openid.None() : openid.ClientSecretPost(secret);
  const options: openid.DiscoveryRequestOptions = { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] };
  return new OpenidClient(await openid.discovery(new URL(issuer), id, undefined, auth, options));
};

class OpenidClient implements Judge {
  constructor(private readonly config: openid.Configuration) {}

  signIn(browser: Browser, parameters: Parameters) {
    return this.complete(browser, parameters, async (asked) => openid.buildAuthorizationUrl(this.config, asked));
  }

  signInPushed(browser: Browser, parameters: Parameters) {
    return this.complete(browser, parameters, (asked) => openid.buildAuthorizationUrlWithPAR(this.config, asked));
  }

  askForItself(parameters: Parameters) {
    return openid.clientCredentialsGrant(this.config, parameters);
  }

  refresh(refreshToken: string, parameters: Parameters = {}) {
    return openid.refreshTokenGrant(this.config, refreshToken, parameters);
  }

  revoke(token: string) {
    return openid.tokenRevocation(this.config, token);
  }

  introspect(token: string) {
    return openid.tokenIntrospection(this.config, token);
  }

  async call(url: URL, token: string) {
    return (await openid.fetchProtectedResource(this.config, token, url, 'GET')).status;
  }

  private async complete(browser: Browser, parameters: Parameters, hand: (asked: URLSearchParams) => Promise<URL>) {
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const expectedState = openid.randomState();
    const asked = new URLSearchParams(parameters);
    asked.set('redirect_uri', CALLBACK);
    asked.set('state', expectedState);
    asked.set('code_challenge', await openid.calculatePKCECodeChallenge(pkceCodeVerifier));
    asked.set('code_challenge_method', 'S256');
    const landed = await browser(await hand(asked));
    return openid.authorizationCodeGrant(this.config, landed, { pkceCodeVerifier, expectedState });
  }
}
