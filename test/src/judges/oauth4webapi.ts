import * as oauth from 'oauth4webapi';
import { type Browser, CALLBACK, type Discover, type Identity, type Judge, type Parameters } from './judge.js';

const insecure = { [oauth.allowInsecureRequests]: true };

export const discover: Discover = async (issuer, identity) => {
  const url = new URL(issuer);
  const response = await oauth.discoveryRequest(url, { algorithm: 'oauth2', ...insecure });
  return new Oauth4webapi(await oauth.processDiscoveryResponse(url, response), identity);
};

class Oauth4webapi implements Judge {
  private readonly client: oauth.Client;
  private readonly auth: oauth.ClientAuth;

  constructor(
    private readonly server: oauth.AuthorizationServer,
    { id, secret }: Identity,
  ) {
    this.client = { client_id: id };
    this.auth = secret === undefined ? oauth.None() : oauth.ClientSecretBasic(secret);
  }

  signIn(browser: Browser, parameters: Parameters) {
    return this.complete(browser, parameters, async (requested) => requested);
  }

  signInPushed(browser: Browser, parameters: Parameters) {
    return this.complete(browser, parameters, async (requested) => {
      const { server, client, auth } = this;
      const response = await oauth.pushedAuthorizationRequest(server, client, auth, requested, insecure);
      const { request_uri: name } = await oauth.processPushedAuthorizationResponse(server, client, response);
      return new URLSearchParams({ client_id: client.client_id, request_uri: name });
    });
  }

  async askForItself(parameters: Parameters) {
    const { server, client, auth } = this;
    const response = await oauth.clientCredentialsGrantRequest(server, client, auth, parameters, insecure);
    return oauth.processClientCredentialsResponse(server, client, response);
  }

  async refresh(refreshToken: string, additionalParameters: Parameters = {}) {
    const { server, client, auth } = this;
    const options = { ...insecure, additionalParameters };
    const response = await oauth.refreshTokenGrantRequest(server, client, auth, refreshToken, options);
    return oauth.processRefreshTokenResponse(server, client, response);
  }

  async revoke(token: string) {
    const response = await oauth.revocationRequest(this.server, this.client, this.auth, token, insecure);
    await oauth.processRevocationResponse(response);
  }

  async introspect(token: string) {
    const response = await oauth.introspectionRequest(this.server, this.client, this.auth, token, insecure);
    return oauth.processIntrospectionResponse(this.server, this.client, response);
  }

  async call(url: URL, token: string) {
    return (await oauth.protectedResourceRequest(token, 'GET', url, undefined, null, insecure)).status;
  }

  private async complete(
    browser: Browser,
    parameters: Parameters,
    hand: (requested: URLSearchParams) => Promise<URLSearchParams>,
  ) {
    const { server, client, auth } = this;
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const requested = new URLSearchParams(parameters);
    requested.set('response_type', 'code');
    requested.set('client_id', client.client_id);
    requested.set('redirect_uri', CALLBACK);
    requested.set('state', state);
    requested.set('code_challenge', await oauth.calculatePKCECodeChallenge(verifier));
    requested.set('code_challenge_method', 'S256');
    const url = new URL(server.authorization_endpoint!);
    url.search = (await hand(requested)).toString();
    const landed = oauth.validateAuthResponse(server, client, await browser(url), state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      auth,
      landed,
      CALLBACK,
      verifier,
      insecure,
    );
    return oauth.processAuthorizationCodeResponse(server, client, response);
  }
}
