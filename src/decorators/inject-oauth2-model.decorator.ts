import { Inject } from '@nestjs/common';
import { OAUTH2_MODEL } from '../oauth2.tokens.js';

/** Injects the model that `OAuth2Module` was given. */
export const InjectOAuth2Model = () => Inject(OAUTH2_MODEL);
