/* global oidc, document, location, history */
import { settings } from './settings.js';

const manager = new oidc.UserManager({
  authority: settings.issuer,
  client_id: 'browser',
  redirect_uri: settings.pageUrl,
  post_logout_redirect_uri: settings.pageUrl,
  scope: 'openid profile email',
  loadUserInfo: true,
  // Keep tokens in memory: scripts on other pages of this origin cannot steal them.
  userStore: new oidc.WebStorageStateStore({ store: new oidc.InMemoryWebStorage() }),
});

const [status, signIn, signOut] = ['user', 'sign-in', 'sign-out'].map((id) => document.getElementById(id));

/** Completes the sign-in if the URL contains an authorization response. Otherwise returns `undefined`. */
async function completeSignIn() {
  if (!/[?&](code|error)=/.test(location.search)) return undefined;
  try {
    return await manager.signinRedirectCallback();
  } finally {
    history.replaceState(undefined, '', '/');
  }
}

const user = await completeSignIn().catch((error) => {
  status.textContent = error.message;
});
if (user) status.textContent = `Welcome, ${user.profile.name} (${user.profile.email})`;
signIn.hidden = Boolean(user);
signOut.hidden = !user;
signIn.addEventListener('click', () => void manager.signinRedirect());
signOut.addEventListener('click', () => void manager.signoutRedirect({ id_token_hint: user.id_token }));
