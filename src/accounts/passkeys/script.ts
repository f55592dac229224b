import type { Endpoint } from '../../../lib/internal.js';

/**
 * The script of the pages with passkeys. It shows the button, lets the browser create or use a passkey, and sends the form
 * with the response. Without it, the button stays hidden. Web Authentication Level 3 §5.1
 */
const SCRIPT = `const encode = (bytes) => bytes && btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const decode = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));
const keys = (ids) => ids.map((id) => ({ type: 'public-key', id: decode(id) }));
let pending;
async function use(form, { challenge, rpId, rpName, ids, user, userVerification }, mediation) {
  pending?.abort();
  const { signal } = (pending = new AbortController());
  const publicKey = { challenge: decode(challenge), userVerification };
  const key = user
    ? await navigator.credentials.create({
        signal,
        publicKey: {
          ...publicKey,
          rp: { id: rpId, name: rpName },
          user: { ...user, id: decode(user.id) },
          pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
          excludeCredentials: keys(ids),
          authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification },
        },
      })
    : await navigator.credentials.get({ signal, mediation, publicKey: { ...publicKey, rpId, allowCredentials: keys(ids) } });
  const { response } = key;
  const texts = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'].map((name) => [name, encode(response[name]) || undefined]);
  form.elements.response.value = JSON.stringify({
    id: key.id,
    rawId: key.id,
    type: key.type,
    clientExtensionResults: {},
    response: { ...Object.fromEntries(texts), transports: response.getTransports?.() },
  });
  form.submit();
}
for (const box of window.PublicKeyCredential ? document.querySelectorAll('[data-passkey]') : []) {
  const options = JSON.parse(box.dataset.passkey);
  const form = box.closest('form');
  box.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    use(form, options).catch(() => { box.querySelector('[role=alert]').hidden = false; });
  });
  if (options.autofill && (await PublicKeyCredential.isConditionalMediationAvailable?.())) use(form, options, 'conditional').catch(() => {});
}
`;

/** The endpoint of the script. It is of the same origin, so that the Content Security Policy allows it. */
export const passkeyScript: Endpoint = {
  path: 'oauth/passkeys.js',
  methods: ['GET', 'HEAD'],
  description: { summary: 'The script of the pages with passkeys' },
  make: () => ({
    async handle(_request, response) {
      response.set('content-type', 'text/javascript; charset=utf-8');
      response.set('cache-control', 'public, max-age=3600');
      response.set('x-content-type-options', 'nosniff');
      response.body = SCRIPT;
    },
  }),
};
