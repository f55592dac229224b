import { Inject } from '@nestjs/common';
import { getOAuth2ModelToken } from '../oauth2.tokens.js';

/** Injects the model that `OAuth2Module` was given; with a name, that of the server of this `name`. */
export const InjectOAuth2Model = (name?: string) => Inject(getOAuth2ModelToken(name));
