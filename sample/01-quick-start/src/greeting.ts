import { storageNotice } from './database.js';

/** Returns the text that is printed at startup: the URL to open and three curl commands. */
export function greeting(url: string): string {
  const token = `curl -s -u demo-web:demo-web-secret ${url}/oauth/token`;
  const password = '-d grant_type=password -d username=alice -d password=wonderland -d scope=notes:read';
  const pick = `sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/'`;
  return `
nest-oauth2 quick start is running. ${storageNotice}

  Open      ${url}
  Sign in   alice / wonderland

Or paste one of these into another terminal:

  # A client credentials token
  ${token} -d grant_type=client_credentials -d scope=notes:read -w '\\n'

  # Read the notes of alice with an access token
  curl -s ${url}/api/notes -w '\\n' -H "Authorization: Bearer $(${token} ${password} | ${pick})"

  # A request without a token: status 401
  curl -s -i ${url}/api/notes -w '\\n'
`;
}
