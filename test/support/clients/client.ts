import * as oauth from 'oauth4webapi';
import { decide } from './consent.js';
import { CALLBACK } from '../servers/demo.js';

const insecure = { [oauth.allowInsecureRequests]: true };

export const WEB = { client_id: 'web' };
export const SPA = { client_id: 'spa' };
export const WEB_SECRET = oauth.ClientSecretBasic('web-secret');

/** The validated parameters of an authorization response, with the PKCE verifier of its request. */
export interface Code {
  parameters: URLSearchParams;
  verifier: string;
}

/** An independent client (`oauth4webapi`) of the demo application. In its browser, Alice is signed in. */
export class DemoClient {
  readonly server: oauth.AuthorizationServer;

  constructor(readonly url: string) {
    this.server = {
      issuer: url,
      authorization_endpoint: `${url}/oauth/authorize`,
      token_endpoint: `${url}/oauth/token`,
    };
  }

  /** Runs the authorization code flow up to the token request and returns the authorization code. */
  async obtainCode(client: oauth.Client, scope = 'notes:read'): Promise<Code> {
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const parameters = {
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: CALLBACK,
      scope,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    const redirect = await decide(this.url, parameters, 'alice', 'allow');
    return { verifier, parameters: oauth.validateAuthResponse(this.server, client, redirect, state) };
  }

  redeem(client: oauth.Client, auth: oauth.ClientAuth, { parameters, verifier }: Code): Promise<Response> {
    return oauth.authorizationCodeGrantRequest(this.server, client, auth, parameters, CALLBACK, verifier, insecure);
  }

  async obtainTokens(scope?: string): Promise<oauth.TokenEndpointResponse> {
    const response = await this.redeem(WEB, WEB_SECRET, await this.obtainCode(WEB, scope));
    return oauth.processAuthorizationCodeResponse(this.server, WEB, response);
  }

  /** Requests an access token with the client credentials grant. */
  requestClientCredentials(auth: oauth.ClientAuth, scope: string): Promise<Response> {
    return oauth.clientCredentialsGrantRequest(this.server, WEB, auth, { scope }, insecure);
  }

  refresh(token: string): Promise<Response> {
    return oauth.refreshTokenGrantRequest(this.server, WEB, WEB_SECRET, token, insecure);
  }

  callApi(token: string, path: string): Promise<Response> {
    return oauth.protectedResourceRequest(token, 'GET', new URL(this.url + path), undefined, null, insecure);
  }
}
