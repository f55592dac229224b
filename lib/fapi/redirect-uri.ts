const PLAIN = /^http:/i;
const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?(?:[/?]|$)/i;

/** Does an answer that is sent there go over no open network? That of a native app may stay on its device. FAPI 2.0 SP §5.3.2.2 (8) */
export const isEncrypted = (redirectUri: string): boolean => !PLAIN.test(redirectUri) || LOOPBACK.test(redirectUri);
