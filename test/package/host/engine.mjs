import * as engine from 'nest-oauth2/server';
import * as memory from 'nest-oauth2/stores/memory';
import { askEngine } from './grant.cjs';

await askEngine(engine, memory);
