/* global oidc, document, location, history */
import { settings } from './settings.js';

const manager = new oidc.UserManager({
  authority: settings.issuer,
  client_id: 'browser',
  redirect_uri: settings.here,
  post_logout_redirect_uri: settings.here,
  scope: 'openid profile email',
  loadUserInfo: true,
  // In this page alone, and gone with it: what a script elsewhere in the origin cannot find it cannot steal.
  userStore: new oidc.WebStorageStateStore({ store: new oidc.InMemoryWebStorage() }),
});

const [status, signIn, signOut] = ['user', 'sign-in', 'sign-out'].map((id) => document.getElementById(id));

/** The answer of the provider, if this is one. */
async function findUser() {
  if (!/[?&](code|error)=/.test(location.search)) return undefined;
  try {
    return await manager.signinRedirectCallback();
  } finally {
    history.replaceState(undefined, '', '/');
  }
}

const user = await findUser().catch((error) => {
  status.textContent = error.message;
});
if (user) status.textContent = `Welcome, ${user.profile.name} (${user.profile.email})`;
signIn.hidden = Boolean(user);
signOut.hidden = !user;
signIn.addEventListener('click', () => void manager.signinRedirect());
signOut.addEventListener('click', () => void manager.signoutRedirect({ id_token_hint: user.id_token }));
