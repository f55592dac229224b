import * as server from 'nest-oauth2/server';
import * as memory from 'nest-oauth2/stores/memory';
import { askEngine } from './grant.cjs';

console.log(JSON.stringify(await askEngine(server, memory)));
