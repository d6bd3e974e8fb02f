"""Who needs whom: fetch and prepare (with its reference) per input, measure per stage, draw figures and page.

Settings come from the environment (`FILLPATH_SUITE` and its kin), so `snakemake all` and `make figures` agree.
Outputs are markers and pictures: results/ is never one, because a failed job would delete them. What a marker says
is checked before the graph is built: Snakemake knows times of files, not records.
"""

import shlex
import sys

from snakemake.exceptions import WorkflowError

from benchmarks.engine import run
from benchmarks.runs import marks, slurm
from benchmarks.runs.cases import (
    generated_inputs,
    suite_cases,
    suite_figures,
    suite_inputs,
    suite_stages,
)
from fillpath import ending
from fillpath.errors import FillpathError
from fillpath.registry import lookup
from fillpath.settings import settings

try:
    SETTINGS = settings()
except FillpathError as error:
    raise WorkflowError(str(error))

if workflow.is_main_process:
    marks.remove_stale(SETTINGS)

MARKS = ".fillpath/markers"
LOGS = ".fillpath/logs"
GENERATED = generated_inputs(SETTINGS)
PYTHON = shlex.quote(sys.executable)
MAIN = f"{PYTHON} -m fillpath"
# A job dies with Snakemake, and what it started with it.
RUN = f"exec {PYTHON} -m benchmarks.engine.follow {MAIN}"


def prepared(name):
    """The marker of an input that is prepared. In a wildcard `~` stands for the comma, at which Snakemake would
    take the wildcard apart when it hands a job on to another host."""
    return f"{MARKS}/prepare/{name.replace(',', '~')}"


def stage_inputs(wildcards):
    """The inputs that a stage's cases use; none under a time limit, which has to be spent cheapest first:
    each case then fetches and prepares its own input when its turn has come."""
    if SETTINGS.limit is not None:
        return []
    cases = suite_cases(SETTINGS, wildcards.stage)
    names = dict.fromkeys(f"{case.matrix}.{case.preparation.name}" for case in cases)
    return ancient([*map(prepared, names)])


def input_name(wildcards):
    """The input's own name, of which a wildcard has `~` for each comma."""
    return wildcards.input.replace("~", ",")


def stage_gpus(wildcards):
    """1 where any of the stage's cases runs on a GPU."""
    cases = suite_cases(SETTINGS, wildcards.stage)
    devices = {lookup(case.stage, case.implementation).device for case in cases}
    return int("gpu" in devices)


def picture(pair):
    """A figure's picture, in Snakemake's report by paper; it stays where it lies when others are drawn."""
    paper, figure = pair
    path = f"reports/site/figures/{paper}_{figure}.svg"
    return update(report(path, category=paper, labels={"figure": figure}))


wildcard_constraints:
    input="[A-Za-z0-9._=~@+-]+",
    stage="[a-z]+",


# Where jobs go elsewhere, these stay: only this host need reach the network, and drawing is short.
localrules:
    all,
    fetch,
    draw,


onstart:
    try:
        run.begin(SETTINGS.text(), SETTINGS.limit)
    except (FillpathError, OSError) as error:
        sys.exit(f"fillpath: {ending.line(error)}")
    # No rule: whether anything has to be compiled is for code to say, and would start every job that needs it. A
    # time limit is spent on the cheapest cases first, and the nodes of a cluster are not this host.
    if SETTINGS.limit is None and not slurm.submits(SETTINGS.profile):
        shell(f"{RUN} workflow compile")


onsuccess:
    shell(f"{MAIN} workflow summary")
    run.finish()


onerror:
    shell(f"{MAIN} workflow summary")


rule all:
    default_target: True
    input:
        f"{MARKS}/figures",


# One job makes what is generated in a moment; a job for each would take longer to start than to work.
rule generate:
    output:
        [touch(prepared(name)) for name in GENERATED],
    log:
        f"{LOGS}/generate.log",
    # Names from the markers: as a parameter they would start the job for every other choice of figures.
    shell:
        "{RUN} workflow prepare $(basename -a {output} | tr '~' ',') 2> >(tee {log} >&2)"


ruleorder: generate > prepare


rule fetch:
    output:
        touch(f"{MARKS}/fetch/{{input}}"),
    log:
        f"{LOGS}/fetch/{{input}}.log",
    # Polite to the collection's site: profiles/default says how many there may be at once.
    resources:
        connections=1,
    params:
        name=input_name,
    shell:
        "{RUN} workflow prepare --fetch {params.name} 2> >(tee {log} >&2)"


rule prepare:
    input:
        ancient(f"{MARKS}/fetch/{{input}}"),
    output:
        touch(f"{MARKS}/prepare/{{input}}"),
    log:
        f"{LOGS}/prepare/{{input}}.log",
    params:
        name=input_name,
    shell:
        "{RUN} workflow prepare {params.name} 2> >(tee {log} >&2)"


rule measure:
    input:
        stage_inputs,
    output:
        touch(f"{MARKS}/measure/{{stage}}"),
    log:
        f"{LOGS}/measure/{{stage}}.log",
    # Every core: nothing else may run beside a measurement. On a cluster the profile says so.
    threads: workflow.cores or 1
    resources:
        gpu=stage_gpus,
    shell:
        "{RUN} workflow measure {wildcards.stage} 2> >(tee {log} >&2)"


rule draw:
    input:
        [f"{MARKS}/measure/{stage}" for stage in suite_stages(SETTINGS)],
    output:
        # The command writes it: a hash of what was drawn, and from what.
        f"{MARKS}/figures",
        *map(picture, suite_figures(SETTINGS)),
    log:
        f"{LOGS}/draw.log",
    shell:
        "{RUN} workflow draw 2> >(tee {log} >&2)"
