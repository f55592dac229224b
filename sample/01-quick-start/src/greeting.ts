import { whereThingsAre } from './database.js';

/** What the start-up log says: where to click, and three lines to paste. */
export function greeting(url: string): string {
  const token = `curl -s -u demo-web:demo-web-secret ${url}/oauth/token`;
  const password = '-d grant_type=password -d username=alice -d password=wonderland -d scope=notes:read';
  const pick = `sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/'`;
  return `
nest-oauth2 quick start is running. ${whereThingsAre}

  Open      ${url}
  Sign in   alice / wonderland

Or paste one of these into another terminal:

  # A token for the client itself
  ${token} -d grant_type=client_credentials -d scope=notes:read -w '\\n'

  # A token for alice, and her notes read with it
  curl -s ${url}/api/notes -w '\\n' -H "Authorization: Bearer $(${token} ${password} | ${pick})"

  # No token, no notes: 401
  curl -s -i ${url}/api/notes -w '\\n'
`;
}
