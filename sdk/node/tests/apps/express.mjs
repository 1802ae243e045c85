import express from "express";
import { run } from "./run.mjs";
run(express);
