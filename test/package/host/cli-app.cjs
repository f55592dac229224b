require('reflect-metadata');
const { makeModules } = require('./cli-module.cjs');

const parts = makeModules(
  require('nest-oauth2'),
  require('nest-oauth2/stores/memory'),
  require('@nestjs/common'),
  `${__filename}.json`,
);
exports.AppModule = parts.AppModule;
exports.helper = () => 'something else';
