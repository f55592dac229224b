import 'reflect-metadata';
import * as common from '@nestjs/common';
import * as core from '@nestjs/core';
import * as swagger from '@nestjs/swagger';
import * as oauth2 from 'nest-oauth2';
import * as memory from 'nest-oauth2/stores/memory';
import { addOAuth2 } from 'nest-oauth2/swagger';
import { describeApplication } from './describe.cjs';

console.log(JSON.stringify(await describeApplication({ oauth2, memory, common, core, swagger, addOAuth2 })));
