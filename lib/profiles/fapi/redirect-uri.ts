import { isLoopbackName } from '../../http/public-url.js';

/** Does an answer that is sent there go over no open network? That of a native app may stay on its device. FAPI 2.0 SP §5.3.2.2 (8) */
export const isEncrypted = (redirectUri: string): boolean =>
  !/^http:/i.test(redirectUri) || (URL.canParse(redirectUri) && isLoopbackName(new URL(redirectUri).hostname));
