import { describeModelContract } from 'nest-oauth2/testing';

import { CorrectModel, subject } from '../correct-model.js';

describeModelContract('a careless model', () =>
  subject(Object.assign(new CorrectModel(), { revokeAuthorizationCode: async () => true })),
);
