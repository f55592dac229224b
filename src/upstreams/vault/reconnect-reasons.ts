import type { ReconnectReason } from './vault-entry.js';

/** Why a user must connect a provider again, for operators. */
export const RECONNECT_REASONS: Readonly<
  Record<ReconnectReason, { readonly reason: string; readonly remedy: string }>
> = {
  refused: {
    reason: 'the provider refused the refresh token',
    remedy: 'Send the user to the `url` of `UpstreamConsentRequired`. The user or the provider has ended the access.',
  },
  lost: {
    reason: 'the provider refused the refresh token, and an earlier refresh was interrupted before it was stored',
    remedy: 'Send the user to the `url` of `UpstreamConsentRequired`. Let processes finish their requests at shutdown.',
  },
  unreadable: {
    reason: 'the tokens were encrypted with a secret that the server does not have',
    remedy: 'Add the old secret to the option `secret`, or let the user connect the provider again.',
  },
  otherUser: {
    reason: 'the provider responded to the refresh request with an ID token of another user',
    remedy: 'Report this to the provider. The user can connect the provider again.',
  },
};
