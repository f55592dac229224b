import { describeModelContract } from 'nest-oauth2/testing';

import { HonestModel, subject } from '../honest-model.js';

describeModelContract('an honest model', () => subject(new HonestModel()));
