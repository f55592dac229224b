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
    return this.complete(browser, parameters, async (requested) =>
      openid.buildAuthorizationUrl(this.config, requested),
    );
  }

  signInPushed(browser: Browser, parameters: Parameters) {
    return this.complete(browser, parameters, (requested) =>
      openid.buildAuthorizationUrlWithPAR(this.config, requested),
    );
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

  private async complete(browser: Browser, parameters: Parameters, hand: (requested: URLSearchParams) => Promise<URL>) {
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const expectedState = openid.randomState();
    const requested = new URLSearchParams(parameters);
    requested.set('redirect_uri', CALLBACK);
    requested.set('state', expectedState);
    requested.set('code_challenge', await openid.calculatePKCECodeChallenge(pkceCodeVerifier));
    requested.set('code_challenge_method', 'S256');
    const landed = await browser(await hand(requested));
    return openid.authorizationCodeGrant(this.config, landed, { pkceCodeVerifier, expectedState });
  }
}
