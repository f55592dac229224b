import { describeModelContract } from 'nest-oauth2/testing';

import { CorrectModel, subject } from '../correct-model.js';

describeModelContract('an honest model', () => subject(new CorrectModel()));
