import { describeModelContract } from 'nest-oauth2/testing';

import { HonestModel, subject } from '../honest-model.js';

describeModelContract('a careless model', () =>
  subject(Object.assign(new HonestModel(), { revokeAuthorizationCode: async () => true })),
);
