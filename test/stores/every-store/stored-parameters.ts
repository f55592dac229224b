import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OAuth2Server } from 'nest-oauth2/server';
import type { Feature } from 'nest-oauth2/features';

import { CALLBACK } from '../../support/models/model.js';
import { runOperation, authorizeRequest, signedIn, tokenRequest } from '../../support/clients/requests.js';
import { findStores, type OpenStore } from '../every-store.js';

/** A feature that stores the parameter `purpose` of an authorization request with the grant. */
const purpose: Feature = {
  id: 'purpose',
  install: () => ({
    authorization: {
      read: (parameters) => ({ purpose: parameters.optional('purpose'), places: parameters.all('place') }),
      respond: (requested, user, parameters) => {
        parameters['reported'] = `${user['id']}: ${String(requested.data['purpose'])}`;
      },
    },
    token: {
      issue: (request) => {
        const { purpose: kept, places } = (request.code ?? request.refreshToken) as unknown as Record<string, unknown>;
        Object.assign(request.tokenMembers, { purpose: kept, places });
      },
      respond: (request, token) => {
        request.responseMembers['purpose'] = token['purpose'];
      },
    },
  }),
};

describe.each(await findStores())(
  'a parameter that a feature stores with the grant, in a store in $name',
  ({ open }) => {
    let opened: OpenStore;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    it('a stored parameter is passed from the authorization request to the code and to every refreshed token', async () => {
      const server = new OAuth2Server({ model: opened.store, features: [purpose] });
      const query = { purpose: 'audit', place: ['here', 'there', 'here'] };
      const { redirected } = await runOperation(server, 'authorize', authorizeRequest(query), signedIn);
      expect(redirected).toMatchObject({ reported: 'alice: audit', state: 'xyz' });
      const code = String(redirected['code']);
      const kept = { purpose: 'audit', places: ['here', 'there'] };
      expect(await opened.another.getAuthorizationCode(code)).toMatchObject(kept);

      let next: object = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
      for (let round = 0; round < 3; round++) {
        const { body, error } = await runOperation(server, 'token', tokenRequest({ ...next }));
        expect(error).toBeUndefined();
        expect(body).toMatchObject({ purpose: 'audit', token_type: 'Bearer' });
        expect(body).not.toHaveProperty('places');
        expect(await opened.another.getAccessToken(String(body['access_token']))).toMatchObject(kept);
        expect(await opened.another.getRefreshToken(String(body['refresh_token']))).toMatchObject(kept);
        next = { grant_type: 'refresh_token', refresh_token: body['refresh_token'] };
      }
    });

    it('a stored parameter is ignored if its feature is not listed', async () => {
      const server = new OAuth2Server({ model: opened.store });
      const { redirected } = await runOperation(server, 'authorize', authorizeRequest({ purpose: 'audit' }), signedIn);
      const code = await opened.another.getAuthorizationCode(String(redirected['code']));
      expect(code).toMatchObject({ redirectUri: CALLBACK });
      expect(code).not.toHaveProperty('purpose');
      expect(redirected).not.toHaveProperty('reported');
    });
  },
);
