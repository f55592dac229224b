import type { ClientAuthentication } from './client-authentication.js';
import { clientSecretBasic } from './client-secret-basic.js';
import { clientSecretPost } from './client-secret-post.js';
import { none } from './none.js';

/** How a client may say who it is. */
export const CLIENT_AUTHENTICATIONS: readonly ClientAuthentication[] = [clientSecretBasic, clientSecretPost, none];
