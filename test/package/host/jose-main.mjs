import * as jose from 'nest-oauth2/jose';
import * as server from 'nest-oauth2/server';
import * as memory from 'nest-oauth2/stores/memory';
import { signAndCheck } from './jose.cjs';

console.log(JSON.stringify(await signAndCheck(server, memory, jose)));
