import { OAuth2Server } from 'nest-oauth2/server';
import { requiredScope, user } from '../fixtures.js';
import { answer } from './nest-oauth2.js';

export const title = 'nest-oauth2, options in each call';

/** The options are those of the other candidates, or defaults. Each call creates them again, as Express routes often do. */
export function create(model) {
  const server = new OAuth2Server({ model });
  const authenticateHandler = { handle: async () => user };

  return {
    authenticate: (raw) =>
      answer(raw, (request, response) =>
        server.authenticate(request, response, {
          scope: requiredScope,
          addAcceptedScopesHeader: true,
          addAuthorizedScopesHeader: true,
        }),
      ),
    token: (raw) =>
      answer(raw, (request, response) =>
        server.token(request, response, { accessTokenLifetime: 3600, refreshTokenLifetime: 1_209_600 }),
      ),
    authorize: (raw) =>
      answer(raw, (request, response) =>
        server.authorize(request, response, { authenticateHandler, authorizationCodeLifetime: 300 }),
      ),
  };
}
