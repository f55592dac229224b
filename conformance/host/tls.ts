import type { SecureContextOptions } from 'node:tls';

/**
 * TLS as FAPI requires it: version 1.2 or later. For 1.2, only cipher suites that version 2.0 recommends and version
 * 1.0 allows. FAPI2-SP §5.2.2, FAPI1-ADV §8.5
 */
export const tls: SecureContextOptions = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'TLS_AES_128_GCM_SHA256',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES128-GCM-SHA256',
  ].join(':'),
};
