"""Plant one mistake at a time in a copy of the checkout, and show that the everyday tests see each.

    python tests/mutations.py [--only NAME]

Each mistake names a test. All of these tests have to pass first, without a mistake. Then each mistake is
planted alone, and its test has to fail: a test that cannot run, import or end in time has seen nothing.
The copies hold the tracked files as they are here, in a temporary folder. Compiled code goes to the user's
caches.

Exit status 1: a mistake was not seen, or could not be planted.

Longer than two screens: most of it is the table of mistakes.
"""

import argparse
import contextlib
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Copies of the checkout, in each of which one mistake is planted at a time.
COPIES = 2
PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no", "-rfE")
# Reasons for which a test fails whatever it holds: the mistake is none that a test has to see.
BROKEN = re.compile(r"(Import|ModuleNotFound|Syntax|Indentation|Name)Error|Failed: Timeout")


@dataclass(frozen=True)
class Mutation:
    """A mistake.

    file : where it is planted
    old : the text that it replaces, which the file holds exactly once
    new : the text in its place
    test : what has to fail, below tests/ as pytest names it; it runs every day
    """

    name: str
    file: str
    old: str
    new: str
    test: str


@dataclass(frozen=True)
class Outcome:
    """What became of a mutation. killer : the test that failed; empty where none did. trouble : why then."""

    killer: str
    trouble: str
    seconds: float


MUTATIONS = (
    # The stages: what they compute, and how their input is made.
    Mutation(
        "symbolic loses fills below the diagonal", "impl/symbolic/fill2_cpu.py",
        "if column > threshold:", "if column >= source:",
        "test_symbolic.py::test_the_example_of_the_gsofa_paper",
    ),
    Mutation(
        "numeric forgets a small pivot's sign", "impl/numeric/left_looking.py",
        "pivot = -least if pivot < 0 else least", "pivot = least",
        "test_numeric.py::test_small_pivots_are_replaced_with_their_sign_and_counted",
    ),
    Mutation(
        "solve refines once at most", "impl/solve/lu_cpu.py",
        "for _ in range(refine):", "for _ in range(min(refine, 1)):",
        "test_numeric.py::test_refinement_gives_back_what_single_precision_took",
    ),
    Mutation(
        "laplacian trusts the recurrence's residual", "impl/laplacian/pcg_cpu.py",
        "            left, previous = rows.residual(b, y, r), 0.0\n            if left <= "
        "bound:\n                return",
        "            if left <= bound:\n                return",
        "test_laplacian.py::test_a_residual_that_only_the_recurrence_has_does_not_count",
    ),
    Mutation(
        "cholesky draws a partner from a larger sum", "impl/cholesky/elimination.py",
        "bound = drawn * sums[q - ONE]", "bound = drawn * sums[q]",
        "test_cholesky.py::test_the_six_steps_in_plain_python_give_the_same_bits",
    ),
    Mutation(
        "cholesky on threads adds an edge late", "impl/cholesky/parac_cpu.py",
        "            more |= (gained - lost) << HIGH", "            more |= (gained - lost - ONE) << HIGH",
        "test_cholesky.py::test_what_a_step_adds_comes_before_what_it_takes_away",
    ),
    Mutation(
        "levels forget the rows of L", "impl/levels/glu3_relaxed.py",
        "here = max(here, after[indices[p]])", "here = max(here, after[indices[p]] - 1)",
        "test_levels.py::test_is_its_definition",
    ),
    Mutation(
        "supernodes run over their chunk", "impl/supernodes/t3.py",
        "joins = row % maxsup != 0 and upper == before - 1", "joins = row > 0 and upper == before - 1",
        "test_supernodes.py::test_every_supernode_ends_at_the_multiples_of_maxsup",
    ),
    Mutation(
        "an ordering sees half of the graph", "impl/preparation/ordering.py",
        "graph = csr_array(half + half.T)", "graph = half",
        "test_ordering.py::test_nnz_sorts_a_random_permutation_stably_by_degree",
    ),
    Mutation(
        "a matching scales without its largest entries", "impl/preparation/matching.py",
        "_scalings(u, v - largest)", "_scalings(u, v)",
        "test_fetch_matching.py::test_is_as_good_as_scipys_and_scales_the_diagonal_to_one",
    ),
    Mutation(
        "a prepared matrix is scaled by rows alone", "impl/preparation/rows.py",
        "row_scale[old] * values[p] * column_scale[column]", "row_scale[old] * values[p]",
        "test_preparation.py::test_what_is_measured_is_what_other_stages_are_given",
    ),
    Mutation(
        "many systems get the order with the largest estimate", "impl/preparation/best.py",
        "chosen = min(estimates", "chosen = max(estimates",
        "test_preparation.py::test_many_solutions_take_the_order_of_the_least_estimate",
    ),
    Mutation(
        "the way from the raw matrix counts transfers twice", "reports/glu3/solutions.py",
        '0.0) + moved', '0.0) + 2 * moved',
        "test_reports_glu3.py::test_preparation_transfers_and_solution_add_up_once",
    ),
    Mutation(
        "a prepared matrix of another seed is taken", "fetch/prepare.py",
        "preparation.name, str(seed), str(PREPARE_VERSION)", "preparation.name, str(PREPARE_VERSION)",
        "test_prepare.py::test_the_artefacts_name_follows_what_decides_its_content",
    ),
    # The gate.
    Mutation(
        "counts pass for a pattern", "benchmarks/symbolic.py",
        'if (peer or context.options.get("output") == "counts") and isinstance(result, Counts):',
        "if isinstance(result, Counts):",
        "test_gate.py::test_what_is_returned_decides_the_gate",
    ),
    Mutation(
        "no number passes", "fillpath/record.py",
        "return bool(self.value <= self.bound)", "return not self.value > self.bound",
        "test_gate.py::test_no_other_solution_passes",
    ),
    Mutation(
        "a factor's tolerance is loosened", "benchmarks/checks/factors.py",
        "ARITHMETIC_BOUND = 4.0", "ARITHMETIC_BOUND = 4e14",
        "test_numeric.py::test_the_gate_sees_one_wrong_value",
    ),
    Mutation(
        "a row that lost its digits is of use", "benchmarks/checks/factors.py",
        "    if held.passes:", "    if False:",
        "test_row_gate.py::test_no_large_row_hides_a_row_that_lost_its_digits",
    ),
    Mutation(
        "a loss that the check repeats is not seen", "benchmarks/checks/factors.py",
        "CAREFUL = USE_BOUND / UNIT / 8", "CAREFUL = 1e300",
        "test_row_gate.py::test_no_large_row_hides_a_row_that_lost_its_digits",
    ),
    Mutation(
        "a row of U is taken for the next of a chain by its length", "benchmarks/checks/factors.py",
        "(filled.pattern.indices[start[1:] - 1] != np.arange(n - 1)) | ", "",
        "test_row_gate.py::test_the_roundings_of_any_values_are_those_of_dense_products",
    ),
    Mutation(
        "a check that overflows is not scaled", "benchmarks/checks/factors.py",
        "SCALES = (1.0, 2.0**-530, 2.0**-1060)", "SCALES = (1.0,)",
        "test_row_gate.py::test_a_check_that_overflows_is_taken_by_powers_of_two",
    ),
    Mutation(
        "any pivot passes for a replaced one", "benchmarks/checks/factors.py",
        "made &= off <= ROUNDED * small + tiny * unit", "pass",
        "test_row_gate.py::test_with_replaced_pivots_elimination_is_never_wrong_and_a_wrong_pivot_never_right",
    ),
    Mutation(
        "what a panel holds outside of F is not seen", "benchmarks/checks/fronts.py",
        "strays += int(width == 0 or", "strays += int(width == 0 and",
        "test_multifrontal_cpu.py::test_the_gate_sees_one_wrong_value",
    ),
    Mutation(
        "a large row hides a small one", "benchmarks/checks/residuals.py",
        "left, size = b[i], abs(b[i])", "left, size = b[i], np.abs(b).max()",
        "test_row_gate.py::test_no_large_row_hides_a_wrong_solution",
    ),
    Mutation(
        "a large component hides a small one", "benchmarks/checks/laplacians.py",
        "graph.component[:counted], graph.components", "graph.component[:counted] * 0, graph.components",
        "test_laplacian.py::test_no_large_component_hides_a_small_one",
    ),
    Mutation(
        "an implementation may change its input", "benchmarks/engine/tasks.py",
        "if not where.intact():", "if False:",
        "test_measure.py::test_each_failure_ends_in_its_status_and_is_recorded",
    ),
    Mutation(
        "a component of no unknowns hides a wrong solution", "benchmarks/checks/laplacians.py",
        "out=np.zeros_like(bounds), where=residuals > 0", "where=True",
        "test_laplacian.py::test_neither_huge_potentials_nor_an_empty_component_pass",
    ),
    Mutation(
        "an infinite bound holds an infinite residual", "benchmarks/checks/laplacians.py",
        "eps * rounded, LEAST_BOUND * share)", "eps * rounded, np.inf)",
        "test_laplacian.py::test_neither_huge_potentials_nor_an_empty_component_pass",
    ),
    Mutation(
        "a record of the old gate stands", "benchmarks/engine/current.py",
        "or (record.verified is not None and record.verified.by_norms)", "",
        "test_marks.py::test_a_record_of_the_old_gate_is_outstanding",
    ),
    Mutation(
        "today's verdicts on old records are not read", "reports/facts/records.py",
        "[[gate_verdicts.applied(record, gate)", "[[record",
        "test_gate_verdicts.py::test_frames_and_the_table_of_cases_have_todays_verdicts",
    ),
    # The table of cases.
    Mutation(
        "a ratio is of two hosts", "reports/verbs.py", "if same_run and not two_hosts:", "if same_run:",
        "test_table.py::test_a_ratio_is_that_of_medians_or_says_why_there_is_none",
    ),
    Mutation(
        "a stopped call bounds a phase", "reports/table.py",
        'low=np.where([each is None for each in chosen], rows["low"], whole["low"])', 'low=rows["low"]',
        "test_table.py::test_seconds_of_phases_say_where_a_record_has_none_and_nothing_of_a_stopped_call",
    ),
    Mutation(
        "a case without a record has no machine", "reports/table.py",
        '{"machine": machine,', '{"machine": None,',
        "test_table.py::test_a_row_is_a_case_in_their_order_and_one_without_a_record_is_of_the_machine",
    ),
    Mutation(
        "the last result is not checked", "benchmarks/engine/tasks.py",
        "if passes(last, work) and context is not None:", "if context is not None:",
        "test_measure.py::test_each_failure_ends_in_its_status_and_is_recorded",
    ),
    Mutation(
        "the device's digest takes rows that do not ascend", "benchmarks/engine/row_digest.cu",
        "formed = formed && before < column && column < n;", "formed = formed && column < n;",
        "test_row_digest.py::test_a_row_that_cannot_be_is_malformed_and_nothing_outside_is_read",
    ),
    # The key of a record.
    Mutation(
        "the key ignores what a function calls", "fillpath/syntax.py",
        "            todo += [target for *_, targets in definition.uses for target in targets]\n", "",
        "test_syntax.py::test_what_it_does_counts",
    ),
    Mutation(
        "the key ignores a kernel's headers of headers", "fillpath/source_hashes.py",
        "todo += (new := {HEADERS / name for name in names} - headers)",
        "new = {HEADERS / name for name in names} - headers",
        "test_syntax.py::test_a_kernel_has_the_headers_of_its_headers",
    ),
    Mutation(
        "a record of another number of threads is taken", "benchmarks/engine/current.py",
        "if record.threads_used == threads_of(case) and record.device == device:",
        "if record.device == device:",
        "test_measure.py::test_another_number_of_cores_is_measured_again",
    ),
    # Whether a case is done, and what a run that was killed goes on with.
    Mutation(
        "a case is measured again in a later run", "benchmarks/engine/current.py",
        "return next((record for record in found if _is_whole(record, found, processes)), None)",
        "return None",
        "test_marks.py::test_what_stands_is_not_outstanding_in_a_later_run",
    ),
    Mutation(
        "a kill settles a case", "benchmarks/engine/current.py",
        "return record.status not in UNTRIED and record.conclusive",
        "return record.status not in UNTRIED",
        "test_measure.py::test_a_kill_from_outside_does_not_settle_the_case",
    ),
    Mutation(
        "fewer samples than asked for settle a case", "benchmarks/engine/current.py",
        "return not limits.sampling.wants_more(len(record.seconds), sum(record.seconds))", "return True",
        "test_measure.py::test_more_samples_than_stored_are_measured",
    ),
    Mutation(
        "a last result that differs from the first is not checked", "benchmarks/engine/tasks.py",
        "checked.get(known) or", "next(iter(checked.values()), None) or",
        "test_gate.py::test_the_last_result_is_checked_unless_it_is_the_first_again",
    ),
    Mutation(
        "a killed run begins anew", "benchmarks/engine/run.py",
        "unfinished is not None and unfinished.settings == settings", "False",
        "test_experiments.py::test_a_run_goes_on_after_a_kill_but_not_under_other_settings",
    ),
    Mutation(
        "a killed run's processes are lost", "benchmarks/engine/current.py",
        "others = [r for r in read_records(path) if r.key != record.key or _is_worth_keeping(r)]",
        "others = [r for r in read_records(path) if r.key != record.key]",
        "test_processes.py::test_a_run_goes_on_with_the_process_that_is_missing",
    ),
    Mutation(
        "a timeout hides an earlier result", "benchmarks/engine/current.py",
        "last = ok[-1:] if is_outweighed(record) else []", "last: list[Record] = []",
        "test_measure.py::test_a_limit_never_hides_an_earlier_proof",
    ),
    Mutation(
        "a stage with something left is not measured", "benchmarks/runs/marks.py",
        "if left or drawn_at() is None or", "if drawn_at() is None or",
        "test_marks.py::test_a_stage_with_something_left_is_measured",
    ),
    Mutation(
        "a page of old records counts as drawn", "benchmarks/runs/marks.py",
        "results(), WORK", "WORK",
        "test_marks.py::test_a_change_is_drawn",
    ),
    # The store of records, and asv's rows.
    Mutation(
        "a file is written in place", "fillpath/paths.py",
        "            os.fsync(handle.fileno())\n        Path(name)", "        Path(name)",
        "test_measure.py::test_records_survive_a_torn_write",
    ),
    Mutation(
        "a file's new name may be lost", "fillpath/paths.py",
        "        os.fsync(folder)\n", "        pass\n",
        "test_record.py::test_content_is_on_disk_before_its_name_and_its_name_when_the_write_ends",
    ),
    Mutation(
        "a number of asv's pools two runs of a commit", "benchmarks/runs/airspeed.py",
        "{case: of_run(records) for", "{case: records for",
        "test_asv.py::test_a_row_has_the_last_run_of_each_case_at_a_commit_that_the_repository_has",
    ),
    # How a case is measured.
    Mutation(
        "sampling goes on after its time", "benchmarks/engine/limits.py",
        "return count < self.most and spent < self.seconds", "return count < self.most",
        "test_measure.py::test_memory_and_samples_are_bounded",
    ),
    Mutation(
        "memory beyond its limit is an error", "benchmarks/engine/process.py",
        "outcome.stop(Status.OUT_OF_MEMORY, reason)", "outcome.stop(Status.ERROR, reason)",
        "test_measure.py::test_a_hoarder_ends_at_the_memory_limit",
    ),
    Mutation(
        "all available memory may be used", "benchmarks/engine/machine.py",
        "min(free, limit)) * 9 // 10", "min(free, limit))",
        "test_measure.py::test_memory_and_samples_are_bounded",
    ),
    Mutation(
        "a run's deadline is a case's timeout", "benchmarks/engine/process.py",
        "if outcome.status is Status.TIMEOUT and seconds < limit:", "if False:",
        "test_measure.py::test_what_the_deadline_cuts_off_has_no_timeout",
    ),
    Mutation(
        "a lower limit's timeout settles a higher one's", "benchmarks/engine/current.py",
        "return limits.seconds <= (record.limit_seconds or 0.0)", "return True",
        "test_measure.py::test_a_higher_limit_measures_a_timeout_again",
    ),
    Mutation(
        "two measurements run at once", "benchmarks/engine/measure.py",
        'with exclusive(host.node_lock("measurement")):', "with exclusive(host.node_lock(case.name)):",
        "test_measure.py::test_no_other_case_of_this_node_is_measured_meanwhile",
    ),
    Mutation(
        "waiting workers run during samples", "benchmarks/engine/process.py",
        '        workers.pause()\n        worker.write("go")', '        worker.write("go")',
        "test_ahead.py::test_the_next_process_is_one_that_waited_and_all_wait_stopped_during_samples",
    ),
    Mutation(
        "processes of an interval are forked", "benchmarks/engine/measure.py",
        'if limits.forked and processes == 1 and device == "cpu":', 'if limits.forked and device == "cpu":',
        "test_template.py::test_only_the_only_process_of_a_case_that_uses_no_gpu_is_forked",
    ),
    Mutation(
        "a template with threads forks", "benchmarks/engine/template.py",
        'if psutil.Process().num_threads() > 1 or "cupy" in sys.modules:', 'if "cupy" in sys.modules:',
        "test_template.py::test_a_worker_starts_by_itself_where_no_template_can",
    ),
    Mutation(
        "a child keeps the variables of its template", "benchmarks/engine/template.py",
        '    os.environ.update(start["environment"])\n', "",
        "test_template.py::test_a_child_has_the_variables_and_the_folder_of_its_job",
    ),
    Mutation(
        "a host takes another's folder", "fillpath/host.py",
        'return facts.get("host") == fingerprint() and not _differences(facts)',
        "return not _differences(facts)",
        "test_host.py::test_of_two_hosts_of_one_name_the_second_takes_a_free_one",
    ),
    Mutation(
        "compiled code outlives what it imports", "fillpath/numba_locator.py",
        "        found |= new\n        todo += new\n", "        found |= new\n",
        "test_numba_cache.py::test_a_constant_two_imports_away_compiles_the_caller_anew",
    ),
    # What is shown.
    Mutation(
        "an interval is of samples and not of processes", "fillpath/processes.py",
        "_drawn(len(rounds.numbers))", "np.tile(np.arange(len(rounds.numbers)), (DRAWS, 1))",
        "test_processes.py::test_the_interval_is_of_processes_and_not_of_their_samples",
    ),
    Mutation(
        "a bound's interval is inverted", "reports/verbs.py",
        'np.divide(a["low"], b["high"])', 'np.divide(a["low"], b["low"])',
        "test_reports_gsofa.py::test_what_is_planted_is_shown_and_judged",
    ),
    Mutation(
        "a matrix's own order stands beside one other order", "reports/parac/solution.py",
        "KEY].drop_duplicates()", 'KEY].drop_duplicates("matrix")',
        "test_reports_parac.py::test_multigrid_in_a_matrixs_own_order_stands_beside_every_other_order",
    ),
    Mutation(
        "numbers of two runs are paired", "reports/verbs.py",
        'a["run_id"] == b["run_id"]', 'a["run_id"] == a["run_id"]',
        "test_reports_gsofa.py::test_what_is_planted_is_shown_and_judged",
    ),
    Mutation(
        "a mean of ratios is arithmetic", "reports/claims/parts.py",
        "return geometric_mean(np.maximum(numbers, 0.0))", "return float(np.mean(numbers))",
        "test_recompute.py::test_the_page_has_the_numbers_that_the_records_give",
    ),
    Mutation(
        "an interval across the edge is another size", "reports/claims/parts.py",
        "[within, high < least - slack, low > most + slack]",
        "[within, high < least - slack, high > most + slack]",
        "test_verdicts.py::test_each_planted_number_is_judged_by_its_rule",
    ),
    Mutation(
        "a claim of a time is judged by one process", "reports/claims/judge.py",
        "is_clear and count < PROCESSES else", "is_clear and count < 1 else",
        "test_verdicts.py::test_each_planted_number_is_judged_by_its_rule",
    ),
    Mutation(
        "machines are compared on different inputs", "reports/hardware/comparison.py",
        'both["input_hash"] != both["first_input_hash"]', 'both["input_hash"] == both["first_input_hash"]',
        "test_compare.py::test_another_input_is_never_compared",
    ),
    Mutation(
        "a call is predicted by records of any size", "benchmarks/runs/predictions.py",
        '[:NEAREST]]', ']',
        "test_plan.py::test_a_call_takes_what_the_nearest_records_take_per_entry",
    ),
    Mutation(
        "a night judges each case alone", "benchmarks/runs/night_rule.py",
        "false_discovery_control(chances) <= RATE", "np.array(chances) <= RATE",
        "test_night_rule.py::test_a_night_without_a_change_alarms_once_in_a_hundred_at_most",
    ),
    Mutation(
        "an alarm stands unconfirmed", "benchmarks/runs/night_rounds.py",
        "self.judgements |= self._confirmed()", "self._confirmed()",
        "test_nightly.py::test_an_alarm_that_fresh_rounds_do_not_confirm_is_none",
    ),
    # What comes from elsewhere.
    Mutation(
        "a file's Fortran exponent is passed over", "fetch/lines.py",
        'b"dD\\t\\r\\v\\f", b"ee    "', 'b"dD\\t\\r\\v\\f", b"ed    "',
        "test_fetch_lines.py::test_every_decimal_number_is_its_nearest_float64",
    ),
    Mutation(
        "a file may end a number anywhere", "fetch/lines.py",
        '+ rb"(?=\\s)"', '+ rb"[^\\s]*+"',
        "test_fetch_lines.py::test_a_refusal_names_file_line_and_token",
    ),
    Mutation(
        "a symmetric file may list both sides", "fetch/matrixmarket.py",
        "not both_sides and", "",
        "test_fetch_lines.py::test_a_refusal_names_the_file_that_was_given",
    ),
    Mutation(
        "a lone zero is an edge", "benchmarks/engine/operands.py",
        "if stage_of(implementation.stage).on_graph:", "if not stage_of(implementation.stage).on_values:",
        "test_zeros.py::test_a_zero_on_one_side_of_the_diagonal_is_no_edge",
    ),
    Mutation(
        "a file that is there is looked for in the collection", "fetch/matrix_id.py",
        "if os.path.isfile(path) or", "if",
        "test_fetch_matrix_id.py::test_a_file_of_that_name_is_meant_and_no_server_asked",
    ),
    Mutation(
        "an archive's checksum is not compared", "fetch/suitesparse.py",
        'if expected not in ("", sha256):', "if False:",
        "test_fetch_suitesparse.py::test_a_checksum_that_differs_is_refused_at_once",
    ),
    Mutation(
        "a part goes on with another range", "fetch/transfer.py",
        'span.startswith(f"bytes {self.size}-")', "span",
        "test_fetch_transfer.py::test_what_is_asked_for_after_an_answer",
    ),
    Mutation(
        "a pack's checksums are not compared", "fillpath/holdings.py",
        "if digest_of(path) != digest:", "if not digest:",
        "test_pack.py::test_a_pack_that_was_changed_on_its_way_is_refused",
    ),
    Mutation(
        "an arriving file overwrites one that is here", "benchmarks/runs/archive.py",
        "arrived.parent.name in _OF_CASES and _is_current(packed, arrived.stem)", "True",
        "test_compare.py::test_merging_overwrites_nothing",
    ),
    # Kernels, one of each family, on the CPU's threads.
    Mutation(
        "gsofa.cu misses the vertex that its label names", "impl/symbolic/gsofa.cu",
        "fills = vertex[u] >= reach[u] && !filled;", "fills = vertex[u] > reach[u] && !filled;",
        "test_cuda_on_cpu.py::test_traversals_fill_as_fill1",
    ),
    Mutation(
        "bitfronts_bits.cu counts L's entries in U", "impl/symbolic/bitfronts_bits.cu",
        "upper += __popc(word & ~left);", "upper += __popc(word);",
        "test_bitfronts_gpu.py::test_random_patterns",
    ),
    Mutation(
        "factor.cu adds what it has to subtract", "impl/multifrontal/factor.cu",
        "= value[n][q] - sum[n][q];", "= value[n][q] + sum[n][q];",
        "test_multifrontal_gpu.py::test_what_is_solved",
    ),
    Mutation(
        "right_looking.cu forgets the pivot in a batch of levels", "impl/numeric/right_looking.cu",
        "const real factor = mine / pivot;", "const real factor = mine;",
        "test_cuda_on_cpu.py::test_columns_are_factorised_as_on_the_cpu",
    ),
    Mutation(
        "kahn.cu does not wait for the blocks of a round", "impl/levels/kahn.cu",
        "grid_barrier(arrived, passed);\n            const u64 found", "const u64 found",
        "test_cuda_on_cpu.py::test_levels_are_those_of_the_cpu",
    ),
    Mutation(
        "parac.cu keeps an edge that was removed", "impl/cholesky/parac.cu",
        "if (balance < 0) {\n            const u64 before",
        "if (balance < -1) {\n            const u64 before",
        "test_cuda_on_cpu.py::test_blocks_that_wait_for_each_other_factorise_graphs_as_one_thread",
    ),
    Mutation(
        "triangular.cu divides by a diagonal of 0", "impl/laplacian/triangular.cu",
        "diagonal[column] != 0.0 ? 1.0 / diagonal[column] : 0.0;", "1.0 / diagonal[column];",
        "test_cuda_on_cpu.py::test_systems_are_solved_in_the_steps_of_the_cpu",
    ),
    Mutation(
        "parts.cu forgets the fourth source of a row", "impl/multifrontal/parts.cu",
        "__shfl_sync(LANES, from, of) + 3", "__shfl_sync(LANES, from, of) + 4",
        "test_inverses_gpu.py::test_what_is_solved",
    ),
    Mutation(
        "factor.cu forgets exchanges of rows in an inverse", "impl/multifrontal/factor.cu",
        "(INVERT ? __shfl_sync(WARP, place, k) : k) * stride", "k * stride",
        "test_inverses_gpu.py::test_exchanges_of_a_small_front_are_in_its_inverse",
    ),
    Mutation(
        "auto keeps what inverses lost", "impl/solve/direct_gpu.py",
        "and not error <= MOST_ERROR", "and error > 1",
        "test_inverses_gpu.py::test_auto_substitutes_where_inverses_lose_too_much",
    ),
    Mutation(
        "residual.cu forgets what a warp shares", "impl/multifrontal/residual.cu",
        "if (lane < RHS && column < a.columns) worst = put(", "if (lane < RHS && column < a.columns) put(",
        "test_residual_gpu.py::test_the_worst_row_of_any_right_hand_side",
    ),
    Mutation(
        "solve_one.cu leaves the values of an earlier solve", "impl/multifrontal/solve_one.cu",
        "    ((bits *)v.next)[at] = ABSENT;\n", "",
        "test_inverses_gpu.py::test_solvers_of_one_factor_do_not_share_vectors",
    ),
    Mutation(
        "solve_block.cu overwrites a stage that others read", "impl/multifrontal/solve_block.cu",
        "            __syncthreads();\n            if ((chunk + 2)", "            if ((chunk + 2)",
        "test_inverses_gpu.py::test_no_hazard_in_shared_memory",
    ),
    Mutation(
        "sweeps.cu takes the diagonal for an entry of U", "impl/solve/sweeps.cu",
        "upper[row] + 1, indptr[row + 1]", "upper[row], indptr[row + 1]",
        "test_sweeps.py::test_as_on_the_cpu",
    ),
)  # fmt: skip


class Copy:
    """A copy of the checkout's tracked files, with mistakes planted in it one at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        tracked = _git(ROOT, "ls-files", "-z").split("\0")
        for name in filter(None, tracked):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(ROOT / name, target, follow_symlinks=False)
        # Some tests ask for the commit.
        identity = ("-c", "user.name=mutations", "-c", "user.email=mutations@example.org")
        _git(folder, "init", "--quiet")
        _git(folder, "add", "--all", "--force")
        _git(folder, *identity, "commit", "--quiet", "--no-verify", "--message", "A copy")
        self._edits = itertools.count(1)

    def test(self, tests: Sequence[str], *options: str) -> subprocess.CompletedProcess[str]:
        """Run tests in it, those of every day."""
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "COLUMNS": "400"}
        command = [*PYTEST, *options, *(f"tests/{test}" for test in tests)]
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )

    @contextlib.contextmanager
    def planted(self, mutation: Mutation) -> Iterator[None]:
        """Plant a mistake for the length of the block."""
        path = self.folder / mutation.file
        text = path.read_text()
        self._write(path, text.replace(mutation.old, mutation.new))
        try:
            yield
        finally:
            self._write(path, text)

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text)
        # Python takes two edits of one size within one second for one.
        moment = next(self._edits)
        os.utime(path, (moment, moment))


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def outcome_of(mutation: Mutation, copy: Copy) -> Outcome:
    """Plant a mistake and run its tests."""
    start = time.monotonic()
    with copy.planted(mutation):
        done = copy.test([mutation.test], "-x")
    killer, trouble = judged(done.returncode, done.stdout)
    return Outcome(killer, trouble, time.monotonic() - start)


def judged(status: int, printed: str) -> tuple[str, str]:
    """The test that has seen a mistake, empty where none has, and why none has.

    status, printed : of pytest, which stopped at the first failure
    """
    if status == 0:
        return "", "survived"
    failed = re.search(r"^FAILED (\S+?(?:\[.*?\])?)(?: - (.*))?$", printed, re.MULTILINE)
    last = (printed.strip().splitlines() or [""])[-1]
    if status != 1 or failed is None:
        return "", f"no test failed, pytest ended with {status}: {last}"
    if BROKEN.match(failed[2] or ""):
        return "", f"broke {failed[1]}: {failed[2]}"
    return failed[1], ""


def unfit(mutation: Mutation) -> str:
    """Why a mutation cannot be planted; empty where it can."""
    path = ROOT / mutation.file
    count = path.read_text().count(mutation.old) if path.is_file() else 0
    return "" if count == 1 else f"{mutation.file} holds its text {count} times"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", metavar="NAME", help="mutations whose name holds this")
    chosen = [each for each in MUTATIONS if parser.parse_args().only in each.name]
    troubles = [f"{each.name}: {why}" for each in chosen if (why := unfit(each))]
    if troubles or not chosen:
        print("\n".join(troubles or ["no mutation has that name"]), file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="fillpath-mutations-") as name:
        copies = [Copy(Path(name) / str(number)) for number in range(COPIES)]
        whole = copies[0].test(sorted({each.test for each in chosen}), "-n", str(COPIES))
        if whole.returncode:
            print(f"without a mutation:\n{whole.stdout}{whole.stderr}", file=sys.stderr)
            return 1
        return show(chosen, copies)


def show(chosen: Sequence[Mutation], copies: Sequence[Copy]) -> int:
    """Plant each in turn, as many at once as there are copies, and print what has seen it."""
    free = list(copies)

    def planted(mutation: Mutation) -> Outcome:
        copy = free.pop()
        try:
            return outcome_of(mutation, copy)
        finally:
            free.append(copy)

    survivors = 0
    with ThreadPoolExecutor(len(copies)) as pool:
        for mutation, outcome in zip(chosen, pool.map(planted, chosen), strict=True):
            seen = outcome.killer or outcome.trouble.upper()
            print(f"{outcome.seconds:5.1f} s  {mutation.name}: {seen}", flush=True)
            survivors += not outcome.killer
    print(f"{len(chosen) - survivors} of {len(chosen)} mistakes are seen")
    return int(survivors > 0)


if __name__ == "__main__":
    sys.exit(main())
